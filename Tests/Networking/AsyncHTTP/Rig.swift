import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// The production transport against a real socket, its time moved by the test.
struct Rig {
    let clock = ManualClock()
    let logs = LogRecorder()
    let transport: AsyncHTTPTransport
    let client: HTTPAPIClient

    init(
        _ url: String, retry: RetryPolicy = .never, bodyLimit: Int = 1 << 20, options: AsyncHTTPOptions = .standard
    ) throws {
        transport = AsyncHTTPTransport(options)
        client = try HTTPAPIClient(
            baseURL: HTTPURL(url), transport: transport,
            resilience: Resilience(ResilienceOptions(retry: retry), clock: clock, random: { 0.5 }),
            options: ClientOptions(bodyLimit: bodyLimit, redirects: 0, coalescesReads: false), logger: logs.logger())
    }

    /// The failure of a call; one that succeeds gives an error that says so.
    func failure<E: Endpoint>(of endpoint: E, _ options: CallOptions = CallOptions()) async -> NetworkError {
        do { _ = try await client.send(endpoint, options: options) } catch { return error }
        return NetworkError(.unexpected("the call succeeded"))
    }

    /// Runs `body` with a server that follows `script`, and takes both down afterwards.
    static func run(
        _ script: LoopbackServer.Script, retry: RetryPolicy = .never, bodyLimit: Int = 1 << 20,
        _ body: (Rig, LoopbackServer) async throws -> Void
    ) async throws {
        let server = try await LoopbackServer.start(script)
        let rig = try Rig(server.url, retry: retry, bodyLimit: bodyLimit)
        do { try await body(rig, server) } catch { Issue.record(error) }
        await rig.transport.shutdown()
        await server.stop()
    }
}
