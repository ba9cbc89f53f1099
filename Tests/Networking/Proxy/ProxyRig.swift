import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataProxy
import StrataTesting
import Testing

/// A proxy between a test and a scripted origin, all on loopback.
struct ProxyRig: Sendable {
    let origin: LoopbackServer
    let proxy: ProxyServer
    let port: Int

    /// Runs `body`, and takes both servers down afterwards.
    static func run(
        _ script: LoopbackServer.Script, options: AsyncHTTPOptions = .standard, idleTimeout: Duration = .seconds(75),
        retries: Int = 0, _ body: (ProxyRig) async throws -> Void
    ) async throws {
        let origin = try await LoopbackServer.start(script)
        let transport = AsyncHTTPTransport(options)
        let proxy = try await start(to: origin.url, transport, idleTimeout: idleTimeout, retries: retries)
        let rig = ProxyRig(origin: origin, proxy: proxy, port: try HTTPURL(proxy.url).origin.port)
        do { try await body(rig) } catch { Issue.record(error) }
        await proxy.drain(within: .seconds(5))
        await transport.shutdown()
        await origin.stop()
    }

    static func start(
        to origin: String, _ transport: any Transport, port: Int = 0, idleTimeout: Duration = .seconds(75),
        retries: Int = 0
    ) async throws -> ProxyServer {
        try await ProxyServer.start(
            host: "127.0.0.1", port: port, origin: HTTPURL(origin).origin,
            pipeline: .relaying(cache: [], retries: retries, transport: transport), idleTimeout: idleTimeout,
            wallClock: FixedWallClock(Date(timeIntervalSince1970: 784_111_777)))
    }

    func exchange(_ text: String) async throws -> String { try await RawConnection.exchange(text, port: port) }

    /// What a GET that ends the connection is answered with.
    func get(_ target: String = "/") async throws -> String {
        try await exchange("GET \(target) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    }
}

/// A clock that stands.
private struct FixedWallClock: WallClock {
    let now: Date
    init(_ now: Date) { self.now = now }
}
