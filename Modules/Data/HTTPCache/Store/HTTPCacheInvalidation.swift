public import StrataCaching
import StrataDomain

/// Removes outdated responses from an HTTP cache: for a tag those with the tag, and for a key those with
/// `CacheKey.responseTag`.
///
/// The response to an earlier request is not stored afterwards, in this process or another.
public struct HTTPCacheInvalidation: InvalidationObserver {
    private let store: any HTTPCacheStore

    /// An observer that removes responses from `store`.
    public init(store: any HTTPCacheStore) { self.store = store }

    public func invalidated(_ invalidation: Invalidation) async {
        switch invalidation {
        case .key(let key): await store.removeAll(tagged: key.responseTag)
        case .tag(let tag): await store.removeAll(tagged: tag)
        case .all: await store.removeAll()
        }
    }
}
