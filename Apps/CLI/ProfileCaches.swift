import FoundationEssentials
import Logging
import StrataCaching
import StrataDomain
import StrataNetworking
import StrataTerminal
import StrataTokens

/// The caches of one profile: decoded values for the commands, and HTTP responses for `request`.
///
/// Both are opened on first use. Whatever writes to the server through one makes the other forget (decision 18).
struct CacheWiring: Sendable {
    let values: TwoTierCache
    let responses: TwoTierHTTPCacheStore
    let reader: CachedReader
    /// Whose answers are served: those of an account at a server, or nobody's.
    let principal: String
    /// In whose name the client asks, as far as that is known here.
    private let session: StoredSession?
    private let settings: Settings
    private let logger: Logger

    init(_ settings: Settings, account: SessionAccount?, tokens: any TokenStore, logger: Logger) {
        session = account.map { _ in StoredSession(store: tokens) }
        self.settings = settings
        self.logger = logger
        principal = account.map { "\($0.server) \($0.userId)" } ?? "nobody"
        let directory = settings.paths.cache
        values = TwoTierCache(directory: directory, namespace: settings.profile, logger: logger)
        // No profile has a colon in its name.
        responses = TwoTierHTTPCacheStore(
            directory: directory, namespace: "http:\(settings.profile)", logger: logger)
        reader = CachedReader(cache: values, observers: [HTTPCacheInvalidation(store: responses)], logger: logger)
    }

    /// The HTTP cache for calls in the name of the account.
    func interceptor(_ policy: HTTPCachePolicy = .standard) -> HTTPCacheInterceptor {
        let store = TaggedHTTPCacheStore(responses) { [server = settings.server] in Self.tags(of: $0, server) }
        return HTTPCacheInterceptor(store: store, options: HTTPCacheOptions(policy: policy)) { [principal] _ in
            principal
        }
    }

    // MARK: - Writes

    /// For the clients of the commands: what they write, the HTTP cache forgets.
    var writesOfTheClient: WriteWatch {
        WriteWatch { [responses, server = settings.server] url in
            for tag in Self.tags(of: url.description, server) { await responses.removeAll(tagged: tag) }
        }
    }

    /// For `request`: what it writes to the server, both caches forget.
    var writesBesideTheClient: WriteWatch {
        WriteWatch { [reader, server = settings.server] url in
            for tag in Self.tags(of: url.description, server) { await reader.invalidate(tag: tag) }
        }
    }

    /// The collection a URL of the server belongs to: `users` for `/v1/users/7`. Synchronising changes what is kept here.
    private static func tags(of url: String, _ server: HTTPURL) -> Set<String> {
        guard let url = try? HTTPURL(url), url.origin == server.origin else { return [] }
        let base = server.path.hasSuffix("/") ? String(server.path.dropLast()) : server.path
        guard url.path.hasPrefix(base + "/") else { return [] }
        let parts = url.path.dropFirst(base.count).split(separator: "/")
        guard parts.count >= 2 else { return [] }
        return parts[1] == "sync" ? Set(["sync"] + Synchronised.all.map(\.path)) : [String(parts[1])]
    }

    // MARK: - For people

    var tools: CacheTools {
        var caches = [NamedCache("values", values), NamedCache("http", responses)]
        for mode in ["private", "shared"] {
            let namespace = "cache-proxy-\(mode)"
            // Looking makes none.
            guard FileManager.default.fileExists(atPath: "\(settings.paths.cache)/\(namespace)") else { continue }
            let store = TwoTierHTTPCacheStore(
                directory: settings.paths.cache, namespace: namespace, tiers: .disk, logger: logger)
            caches.append(NamedCache("proxy-\(mode)", isOfProfile: false, store))
        }
        return CacheTools(caches: caches) { try await explain($0) }
    }

    private func explain(_ target: String) async throws -> CacheExplanation {
        let url: HTTPURL
        do {
            url = try HTTPURL(RequestWiring.absolute(target, settings.server))
        } catch {
            throw CommandFailure(.usage, "The URL cannot be used: \(error.description)")
        }
        // As the pipeline does: answers of any origin are kept for the account, although only the server is sent its token.
        let token = try await session?.currentToken()
        var explanation = await interceptor().explain(
            url, principal: principal, session: token.map { ($0, session?.account(of: $0)) })
        explanation.url = RequestWiring.shown(target, settings.server)
        let base = settings.server.path.hasSuffix("/") ? String(settings.server.path.dropLast()) : settings.server.path
        if url.origin == settings.server.origin, url.path.hasPrefix(base + "/") {
            let path = String(url.path.dropFirst(base.count))
            explanation.value = await values.explain(CacheKey(principal: principal, path: path))
        }
        return explanation
    }
}

extension RequestCache {
    /// What it asks of the HTTP cache.
    var policy: HTTPCachePolicy {
        switch self {
        case .default: .standard
        case .reload: .reload
        case .onlyIfCached: .onlyIfCached
        case .noStore: .noStore
        }
    }
}
