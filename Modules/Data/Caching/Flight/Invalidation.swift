public import StrataDomain

/// What a change made untrue.
public enum Invalidation: Sendable, Hashable {
    case key(CacheKey)
    case tag(String)
    /// Everything, for instance after a logout.
    case all

    /// Different for different invalidations of one kind; never shown.
    var name: String? {
        switch self {
        case .key(let key): "key \(key.text)"
        case .tag(let tag): "tag \(tag)"
        case .all: nil
        }
    }
}

/// Another cache of the same data, such as the HTTP cache below; it hears of each invalidation before the write that
/// caused it is over.
public protocol InvalidationObserver: Sendable {
    func invalidated(_ invalidation: Invalidation) async
}

/// Removes from an HTTP cache what a change made untrue: by tag what was stored under the tag, and by key what was
/// stored under `CacheKey.responseTag`.
///
/// With the `epochs` of its store's directory, an answer that was asked for before is not stored after it, in whatever
/// process.
public struct HTTPCacheInvalidation: InvalidationObserver {
    private let store: any HTTPCacheStore
    private let epochs: InvalidationEpochs?

    public init(store: any HTTPCacheStore, epochs: InvalidationEpochs? = nil) {
        self.store = store
        self.epochs = epochs
    }

    public func invalidated(_ invalidation: Invalidation) async {
        switch invalidation {
        case .key(let key): await remove(tagged: key.responseTag)
        case .tag(let tag): await remove(tagged: tag)
        case .all: await counted(.all) { await store.removeAll() }
        }
    }

    private func remove(tagged tag: String) async {
        await counted(.tag(tag)) { await store.removeAll(tagged: tag) }
    }

    private func counted(_ invalidation: Invalidation, _ change: () async -> Void) async {
        if let epochs { await epochs.invalidating(invalidation, change) } else { await change() }
    }
}

extension CacheKey {
    /// The tag that an HTTP cache gives the responses from which the value of this key is made.
    ///
    /// It holds a digest of the key, as tags lie on the disk.
    public var responseTag: String { "key \(Owner.digest(text))" }
}
