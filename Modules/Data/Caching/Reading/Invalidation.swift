public import StrataDomain

/// The cached values that a change made outdated.
public enum Invalidation: Sendable, Hashable {
    case key(CacheKey)
    case tag(String)
    /// Everything, for instance after a logout.
    case all
}

/// Another cache of the same data, such as the HTTP cache below. It is told of each invalidation before `invalidate` returns.
public protocol InvalidationObserver: Sendable {
    func invalidated(_ invalidation: Invalidation) async
}

/// Removes outdated responses from an HTTP cache: for a tag those with the tag, and for a key those with
/// `CacheKey.responseTag`.
///
/// The response to an earlier request is not stored afterwards, in this process or another.
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
    /// It contains a digest of the key, because tags are stored in clear.
    public var responseTag: String { "key \(KeyDigest(self).text)" }
}
