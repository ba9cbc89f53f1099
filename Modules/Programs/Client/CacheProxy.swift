import Logging
import StrataAsyncHTTP
import StrataCaching
import StrataDomain
import StrataHTTPCache
import StrataNetworking
import StrataProxy
import StrataTerminal

/// Connects the parts of `cache-proxy`: the server, the cache, and the transport to the origin.
struct CacheProxy: Sendable {
    let settings: Settings
    let logger: Logger

    /// Listens until the task is cancelled, then waits for the requests in flight.
    @Sendable func serve(_ proxy: ProxySettings, ready: @Sendable (String) -> Void) async throws {
        let origin: Origin
        do {
            origin = try HTTPURL(proxy.origin).origin
        } catch {
            throw CommandFailure(.usage, "--origin: \(error.description)")
        }
        let transport = try settings.transport(connections: 256, isProxy: true)
        let (cache, store) = cache(proxy)
        let expired = Task { try await ExpiredResponses.remove(from: [store]) }
        defer { expired.cancel() }
        let result: Result<Void, any Error>
        do {
            let pipeline = try Pipeline.relaying(cache: [cache], retries: proxy.retries, transport: transport)
            try await listen(proxy, origin, pipeline, ready: ready)
            result = .success(())
        } catch let error as ListenError {
            result = .failure(CommandFailure(.unavailable, error.description))
        } catch {
            result = .failure(error)
        }
        _ = await Task { [cache] in await cache.drain(upTo: .seconds(2)) }.value
        await transport.shutdown()
        try result.get()
    }

    private func listen(
        _ proxy: ProxySettings, _ origin: Origin, _ pipeline: Pipeline, ready: @Sendable (String) -> Void
    ) async throws {
        let server = try await ProxyServer.start(
            host: proxy.host, port: proxy.port, origin: origin, pipeline: pipeline)
        ready(server.url)
        // Ends when the task is cancelled: a signal cancels it.
        let (never, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
        continuation.finish()
        await server.drain()
    }

    private func cache(_ proxy: ProxySettings) -> (HTTPCacheInterceptor, any CacheMaintenance) {
        let tiers: CacheTiers =
            switch proxy.tier {
            case .memory: .memory
            case .disk: .disk
            case .both: .both
            }
        let store = TwoTierHTTPCacheStore(
            directory: settings.paths.cache, namespace: ProfileCaches.namespace(ofProxy: proxy.mode.rawValue),
            tiers: tiers,
            isShared: false, logger: logger)
        var options = HTTPCacheOptions()
        options.rules.mode = proxy.mode == .shared ? .shared : .private
        // A private cache has one user, who may send any cookies.
        options.tellsCookiesApart = false
        return (HTTPCacheInterceptor(store: store, options: options), store)
    }
}
