public import FoundationEssentials

/// The kind of cache: it decides which responses may be stored and which directives count (RFC 9111, section 1).
public enum CacheMode: String, Sendable, Hashable, CaseIterable {
    /// For one user: stores responses to requests with a credential.
    case `private`
    /// For many users: obeys `s-maxage`, `private` and `proxy-revalidate`, and stores no response for one user.
    case shared
}

/// The settings of a cache's decisions.
public struct CacheRules: Sendable, Hashable {
    /// For one user, the default, or for many.
    public var mode: CacheMode
    /// Whether a stale response is served while the origin is unreachable or fails (500, 502, 503, 504), without a directive
    /// that allows it. A directive that forbids it still counts (RFC 9111, sections 4.2.4 and 4.3.3). Default `true`.
    public var servesStaleOnFailure: Bool
    /// Seconds for which a stale response is stored, for revalidation and for failures. Default 30 days, at least 0.
    public var keepsStale: TimeInterval
    /// The fraction of the time since `Last-Modified` for which a response without explicit lifetime is fresh. Default 0.1,
    /// from 0 to 1; 0 disables it (RFC 9111, section 4.2.2).
    public var heuristicFraction: Double
    /// The limit of such a lifetime in seconds. Default one day, at least 0.
    public var heuristicLimit: TimeInterval
    /// The lifetime in seconds of a success or redirect that states none, in place of that fraction. `nil`, the default, or 0 or more.
    ///
    /// For an API without cache fields. What the response forbids with `no-store` or `no-cache` stays forbidden, and a shared cache
    /// still needs a directive for a response to a credential. A stored response is told apart by the request fields in `Vary` only, so
    /// the API has to send it where its responses depend on another field than the credential.
    public var heuristicLifetime: TimeInterval?

    /// The standard rules, but for those that are given. A value outside of its range is moved to the nearest in it.
    public init(
        mode: CacheMode = .private, servesStaleOnFailure: Bool = true, keepsStale: TimeInterval = 30 * 86_400,
        heuristicFraction: Double = 0.1, heuristicLimit: TimeInterval = 86_400,
        heuristicLifetime: TimeInterval? = nil
    ) {
        self.mode = mode
        self.servesStaleOnFailure = servesStaleOnFailure
        self.keepsStale = max(0, keepsStale)
        self.heuristicFraction = min(1, max(0, heuristicFraction))
        self.heuristicLimit = max(0, heuristicLimit)
        self.heuristicLifetime = heuristicLifetime.map { max(0, $0) }
    }
}
