public import FoundationEssentials

/// Whose cache it is: it decides what may be kept and which directives count (RFC 9111, section 1).
public enum CacheMode: String, Sendable, Hashable, CaseIterable {
    /// Of one person: keeps answers to requests with a credential.
    case `private`
    /// Of many: obeys `s-maxage`, `private` and `proxy-revalidate`, and keeps nothing that was meant for one.
    case shared
}

/// What a cache decides by, beside what requests and responses say.
public struct CacheRules: Sendable, Hashable {
    public var mode: CacheMode
    /// Whether a stale answer is served while the origin cannot be reached or fails (500, 502, 503, 504), although no
    /// directive asks for it; one that forbids it still does (RFC 9111, sections 4.2.4 and 4.3.3). Default `true`.
    public var servesStaleOnFailure: Bool
    /// Seconds for which a stale answer is kept, for validation and for failures. Default 30 days, at least 0.
    public var keepsStale: TimeInterval
    /// The part of the time since `Last-Modified` for which an answer without explicit lifetime is fresh. Default 0.1,
    /// from 0 to 1; 0 switches it off (RFC 9111, section 4.2.2).
    public var heuristicFraction: Double
    /// Seconds of the longest such lifetime. Default one day, at least 0.
    public var heuristicLimit: TimeInterval

    public init(
        mode: CacheMode = .private, servesStaleOnFailure: Bool = true, keepsStale: TimeInterval = 30 * 86_400,
        heuristicFraction: Double = 0.1, heuristicLimit: TimeInterval = 86_400
    ) {
        self.mode = mode
        self.servesStaleOnFailure = servesStaleOnFailure
        self.keepsStale = max(0, keepsStale)
        self.heuristicFraction = min(1, max(0, heuristicFraction))
        self.heuristicLimit = max(0, heuristicLimit)
    }
}
