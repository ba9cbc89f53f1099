public import StrataDomain

/// What a change made untrue.
public enum Invalidation: Sendable, Hashable {
    case key(CacheKey)
    case tag(String)
    /// Everything, for instance after a logout.
    case all
}

/// Another cache of the same data, such as the HTTP cache below; it hears of each invalidation before the write that
/// caused it is over.
public protocol InvalidationObserver: Sendable {
    func invalidated(_ invalidation: Invalidation) async
}

/// Removes from an HTTP cache what a change made untrue: by tag what was stored under the tag, and by key what was
/// stored under `CacheKey.responseTag`.
///
/// A response that was asked for before is not stored afterwards, in this process or another.
public struct HTTPCacheInvalidation: InvalidationObserver {
    private let store: any HTTPCacheStore

    public init(store: any HTTPCacheStore) { self.store = store }

    public func invalidated(_ invalidation: Invalidation) async {
        switch invalidation {
        case .key(let key): await store.removeAll(tagged: key.responseTag)
        case .tag(let tag): await store.removeAll(tagged: tag)
        case .all: await store.removeAll()
        }
    }
}

extension CacheKey {
    /// The tag that an HTTP cache gives the responses from which the value of this key is made.
    ///
    /// It holds a digest of the key, as tags lie on the disk in clear.
    public var responseTag: String { "key \(KeyDigest(self).text)" }
}
