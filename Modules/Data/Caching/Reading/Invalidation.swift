public import StrataDomain

/// The cached values that a change made outdated.
public enum Invalidation: Sendable, Hashable {
    /// The value of one key.
    case key(CacheKey)
    /// Every value with this tag.
    case tag(String)
    /// Everything, for instance after a logout.
    case all
}

/// Another cache of the same data, such as `HTTPCacheInvalidation` of StrataHTTPCache. It is told of each invalidation before `invalidate` returns.
public protocol InvalidationObserver: Sendable {
    /// The other cache removes what belongs to `invalidation`, or marks it as outdated.
    func invalidated(_ invalidation: Invalidation) async
}

extension CacheKey {
    /// The tag that an HTTP cache gives the responses from which the value of this key is made.
    ///
    /// It contains a digest of the key, because tags are stored in clear.
    public var responseTag: String { "key \(KeyDigest(self).text)" }
}
