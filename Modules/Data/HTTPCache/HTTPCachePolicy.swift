/// How one call uses the HTTP cache; request directives (RFC 9111, section 5.2.1) work beside it.
///
/// Set for all calls made inside a closure: `HTTPCachePolicy.$current.withValue(.reload) { … }`.
public enum HTTPCachePolicy: String, Sendable, Hashable, CaseIterable {
    /// Follows the directives of request and response.
    case standard
    /// Fetches the whole response from the origin, and stores it.
    case reload
    /// Revalidates the stored response.
    case revalidate
    /// The stored response, also a stale one, unless it must be revalidated; else the origin's.
    case cacheElseLoad
    /// The stored response, also a stale one, unless it must be revalidated; else 504. Sends nothing.
    case onlyIfCached
    /// Neither uses nor stores a response.
    case noStore

    /// The policy of the calls of this task; `nil` for the one of the cache.
    @TaskLocal public static var current: HTTPCachePolicy?
}
