import Logging
import StrataAsyncHTTP
import StrataCaching
import StrataDomain
import StrataNetworking
import StrataProxy
import StrataTerminal

/// What `cache-proxy` works with: the cache, a transport that hands on all it hears, and the server in front.
struct ProxyWiring: Sendable {
    let settings: Settings
    let logger: Logger

    /// Listens until the task is cancelled, then lets the requests in flight end.
    @Sendable func serve(_ wishes: ProxySettings, ready: @Sendable (String) -> Void) async throws {
        let origin: Origin
        do {
            origin = try HTTPURL(wishes.origin).origin
        } catch {
            throw CommandFailure(.usage, "--origin: \(error.description)")
        }
        // TLS is AsyncHTTPClient's, which keeps interim responses to itself.
        let transport: any Transport
        let shutdown: () async -> Void
        if origin.scheme == "http" {
            let made = OriginTransport()
            (transport, shutdown) = (made, { await made.shutdown() })
        } else {
            let made = try settings.transport()
            (transport, shutdown) = (made, { await made.shutdown() })
        }
        let cache = cache(wishes)
        let result: Result<Void, any Error>
        do {
            let pipeline = try Pipeline.relaying(cache: [cache], retries: wishes.retries, transport: transport)
            try await listen(wishes, origin, pipeline, ready: ready)
            result = .success(())
        } catch let error as ListenError {
            result = .failure(CommandFailure(.unavailable, error.description))
        } catch {
            result = .failure(error)
        }
        _ = await Task { [cache] in await cache.drain(upTo: .seconds(2)) }.value
        await shutdown()
        try result.get()
    }

    private func listen(
        _ wishes: ProxySettings, _ origin: Origin, _ pipeline: Pipeline, ready: @Sendable (String) -> Void
    ) async throws {
        let server = try await ProxyServer.start(
            host: wishes.host, port: wishes.port, origin: origin, pipeline: pipeline)
        ready(server.url)
        // Nothing is ever sent: it ends when the task is cancelled, which is what the person asks for.
        let (never, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
        continuation.finish()
        await server.drain()
    }

    private func cache(_ wishes: ProxySettings) -> HTTPCacheInterceptor {
        let tiers: CacheTiers =
            switch wishes.tier {
            case .memory: .memory
            case .disk: .disk
            case .both: .both
            }
        let store = TwoTierHTTPCacheStore(
            directory: settings.paths.cache, namespace: "cache-proxy-\(wishes.mode.rawValue)", tiers: tiers,
            isShared: false, logger: logger)
        var options = HTTPCacheOptions()
        options.rules.mode = wishes.mode == .shared ? .shared : .private
        // Private means one person's, who may have any number of cookies.
        options.tellsCookiesApart = false
        return HTTPCacheInterceptor(store: store, options: options)
    }
}
