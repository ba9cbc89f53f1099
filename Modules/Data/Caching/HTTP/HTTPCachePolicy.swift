/// How one call uses the HTTP cache; request directives (RFC 9111, section 5.2.1) work beside it.
///
/// Set for all calls made inside a closure: `HTTPCachePolicy.$current.withValue(.reload) { … }`.
public enum HTTPCachePolicy: String, Sendable, Hashable, CaseIterable {
    /// As the responses say.
    case standard
    /// Asks the origin for the whole answer, and keeps it.
    case reload
    /// Asks the origin whether what is kept still holds.
    case revalidate
    /// What is kept, stale too, unless it must be validated; else the origin.
    case cacheElseLoad
    /// What is kept, stale too, unless it must be validated; else 504. Sends nothing.
    case onlyIfCached
    /// Neither uses nor keeps anything.
    case noStore

    /// The policy of the calls of this task; `nil` for the one of the cache.
    @TaskLocal public static var current: HTTPCachePolicy?
}
