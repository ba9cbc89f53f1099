import FoundationEssentials
public import StrataCaching
import StrataConcurrency
import StrataDomain
import StrataHTTPCache
import StrataNetworking
import StrataTerminal
import StrataTokens

/// The caches of one profile: decoded values for the commands, and HTTP responses for `request`.
///
/// Both are made on first use: a command that reads no cache waits for none. A write to the server through one invalidates the
/// other (decision 18).
public struct ProfileCaches: Sendable {
    private let lazyValues: Lazy<TwoTierCache>
    private let lazyResponses: Lazy<TwoTierHTTPCacheStore>
    private let lazyReader: Lazy<CachedReader>
    /// Partition key: server and user, or `nobody` without a login.
    let principal: String
    /// The session of the account, without refreshes.
    private let session: StoredSession?
    private let settings: Settings
    private let logs: Logs

    /// - Parameter links: Whether the kernel has a route to the server.
    init(
        _ settings: Settings, account: SessionAccount?, tokens: any TokenStore,
        links: Lazy<any ConnectivityMonitor>, logs: Logs
    ) {
        session = account.map { _ in StoredSession(store: tokens) }
        self.settings = settings
        self.logs = logs
        principal = account.map { "\($0.server) \($0.userId)" } ?? "nobody"
        let directory = settings.paths.cache
        let values = Lazy { TwoTierCache(directory: directory, namespace: settings.profile, logger: logs(.cache)) }
        let responses = Lazy {
            // No profile has a colon in its name.
            TwoTierHTTPCacheStore(directory: directory, namespace: "http:\(settings.profile)", logger: logs(.httpCache))
        }
        lazyReader = Lazy {
            // A command reads a value once: waiting for another process would cost a write before the request.
            CachedReader(
                cache: values.value, observers: [HTTPCacheInvalidation(store: responses.value)],
                connectivity: links.value, leaseWait: nil, logger: logs(.cache))
        }
        (lazyValues, lazyResponses) = (values, responses)
    }

    var values: TwoTierCache { lazyValues.value }
    var responses: TwoTierHTTPCacheStore { lazyResponses.value }
    /// Reads values through the cache of the profile.
    public var reader: CachedReader { lazyReader.value }

    /// Waits for the reads in the background, at most for `limit`.
    ///
    /// - Returns: Whether all ended in time; the others go on.
    func drain(upTo limit: Duration) async -> Bool { await lazyReader.ifMade?.drain(upTo: limit) ?? true }

    func cancelBackground() { lazyReader.ifMade?.cancelBackground() }

    /// The HTTP cache for calls of the account.
    func interceptor(_ policy: HTTPCachePolicy = .standard) -> HTTPCacheInterceptor {
        HTTPCacheInterceptor(
            store: responses, options: HTTPCacheOptions(policy: policy),
            tags: { [settings] in Self.tags(of: $0, settings) }, principal: { [principal] _ in principal }
        )
    }

    // MARK: - Writes

    /// For the clients of the commands: a write invalidates the HTTP cache.
    var writesOfTheClient: WriteWatch {
        WriteWatch { [lazyResponses, settings] url in
            for tag in Self.tags(of: url, settings) { await lazyResponses.value.removeAll(tagged: tag) }
        }
    }

    /// For `request`: a write to the server invalidates both caches.
    var writesBesideTheClient: WriteWatch {
        WriteWatch { [lazyReader, settings] url in
            for tag in Self.tags(of: url, settings) { await lazyReader.value.invalidate(tag: tag) }
        }
    }

    /// The collection of a URL of the server, `users` for `/v1/users/7`; all synchronised ones for `/v1/sync`.
    private static func tags(of url: HTTPURL, _ settings: Settings) -> Set<String> {
        guard let parts = settings.server.relativePath(of: url)?.split(separator: "/"), parts.count >= 2 else {
            return []
        }
        return parts[1] == "sync" ? Set(["sync"] + settings.program.synchronised.map(\.path)) : [String(parts[1])]
    }

    // MARK: - Commands

    var tools: CacheTools {
        var caches = [NamedCache("values", values), NamedCache("http", responses)]
        for mode in ["private", "shared"] {
            let namespace = Self.namespace(ofProxy: mode)
            // A look makes no cache.
            let folder = "\(settings.paths.cache)/\(PercentEncoding.encode(namespace))"
            guard FileManager.default.fileExists(atPath: folder) else { continue }
            let store = TwoTierHTTPCacheStore(
                directory: settings.paths.cache, namespace: namespace, tiers: .disk, logger: logs(.httpCache))
            caches.append(NamedCache("proxy-\(mode)", isOfProfile: false, store))
        }
        return CacheTools(caches: caches) { try await explain($0) }
    }

    /// The cache of `cache-proxy`. No profile has a colon in its name.
    static func namespace(ofProxy mode: String) -> String { "proxy:\(mode)" }

    private func explain(_ target: String) async throws -> CacheExplanation {
        let url: HTTPURL
        do {
            url = try HTTPURL(settings.server.absolute(target))
        } catch {
            throw CommandFailure(.usage, "The URL cannot be used: \(error.description)")
        }
        // Responses of every origin are stored for the account, although only the server receives its token.
        let token = try await session?.currentToken()
        var explanation = await interceptor().explain(
            url, principal: principal, session: token.map { ($0, session?.account(of: $0)) })
        explanation.url = settings.server.redacted(target)
        if let path = settings.server.relativePath(of: url) {
            let query = QueryItems(parsing: url.query ?? "") ?? [:]
            explanation.value = await values.explain(CacheKey(principal: principal, path: path, query: query))
        }
        return explanation
    }
}

extension RequestCache {
    /// The policy of the HTTP cache.
    var policy: HTTPCachePolicy {
        switch self {
        case .default: .standard
        case .reload: .reload
        case .revalidate: .revalidate
        case .stale: .cacheElseLoad
        case .onlyIfCached: .onlyIfCached
        case .noStore: .noStore
        }
    }
}
