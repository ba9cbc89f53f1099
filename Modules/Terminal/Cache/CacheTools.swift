public import StrataDomain

/// The tools of the cache commands.
public struct CacheTools: Sendable {
    /// Each cache by its name, in the order they are shown.
    public let caches: [NamedCache]
    /// The cached responses for a URL or a path of the server, and what a request would do with them.
    ///
    /// Throws `CommandFailure` with `.usage` for a malformed URL.
    public let explain: @Sendable (String) async throws -> CacheExplanation

    /// Tools for these caches; `explain` tells what a cache would do for a URL or path.
    public init(caches: [NamedCache], explain: @escaping @Sendable (String) async throws -> CacheExplanation) {
        self.caches = caches
        self.explain = explain
    }
}

/// One cache in a directory of its own.
public struct NamedCache: Sendable {
    /// The word for the cache on the command line.
    public let name: String
    /// Whether `cache clear` clears it; the caches of `cache-proxy` stay.
    public let isOfProfile: Bool
    /// The cache.
    public let cache: any CacheMaintenance

    /// A cache; `isOfProfile` is whether each profile has one of its own.
    public init(_ name: String, isOfProfile: Bool = true, _ cache: any CacheMaintenance) {
        self.name = name
        self.isOfProfile = isOfProfile
        self.cache = cache
    }
}

/// A command about the caches of responses.
public protocol CacheConsoleCommand: ConsoleCommand where Tools == CacheTools {}
