public import StrataDomain

/// What the commands about caches work with.
public struct CacheTools: Sendable {
    /// Each cache by its name, in the order they are shown.
    public let caches: [NamedCache]
    /// What the caches hold for a URL or a path of the server, and what a request would do with it.
    ///
    /// It throws `CommandFailure` with `.usage` for what is no URL.
    public let explain: @Sendable (String) async throws -> CacheExplanation

    public init(caches: [NamedCache], explain: @escaping @Sendable (String) async throws -> CacheExplanation) {
        self.caches = caches
        self.explain = explain
    }
}

/// One cache in a directory of its own.
public struct NamedCache: Sendable {
    public let name: String
    /// Whether it belongs to the profile, and goes with what is cleared; those of `cache-proxy` do not.
    public let isOfProfile: Bool
    public let cache: any CacheMaintenance

    public init(_ name: String, isOfProfile: Bool = true, _ cache: any CacheMaintenance) {
        self.name = name
        self.isOfProfile = isOfProfile
        self.cache = cache
    }
}
