public import StrataDomain

/// The tools of the cache commands.
public struct CacheTools: Sendable {
    /// Each cache by its name, in the order they are shown.
    public let caches: [NamedCache]
    /// The cached responses for a URL or a path of the server, and what a request would do with them.
    ///
    /// Throws `CommandFailure` with `.usage` for a malformed URL.
    public let explain: @Sendable (String) async throws -> CacheExplanation

    public init(caches: [NamedCache], explain: @escaping @Sendable (String) async throws -> CacheExplanation) {
        self.caches = caches
        self.explain = explain
    }
}

/// One cache in a directory of its own.
public struct NamedCache: Sendable {
    public let name: String
    /// Whether `cache clear` clears it; the caches of `cache-proxy` stay.
    public let isOfProfile: Bool
    public let cache: any CacheMaintenance

    public init(_ name: String, isOfProfile: Bool = true, _ cache: any CacheMaintenance) {
        self.name = name
        self.isOfProfile = isOfProfile
        self.cache = cache
    }
}

/// A command about the caches of responses.
public protocol CacheConsoleCommand: ConsoleCommand where Tools == CacheTools {}
