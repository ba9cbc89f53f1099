import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

/// What a transport that keeps limits is asked to keep.
struct TransportLimitTests {
    @Test func `a collected answer is bound as a whole`() async throws {
        let (transport, client) = try Self.make()
        _ = try await client.send(AddTide())
        #expect(transport.limits == [[.seconds(10), .seconds(10)]])
    }

    @Test func `the attempt ends with the call`() async throws {
        let (transport, client) = try Self.make()
        _ = try await client.send(ShowTide(), options: CallOptions(deadline: .seconds(7)))
        #expect(transport.limits == [[.seconds(7), .seconds(7)]])
    }

    @Test func `a streamed answer is bound to its head`() async throws {
        let (transport, client) = try Self.make()
        try await client.stream(ShowTide(), options: CallOptions()) { _, chunks in for try await _ in chunks {} }
        #expect(transport.limits == [[.seconds(10), nil]])
    }

    private static func make() throws -> (LimitedTransport, HTTPAPIClient) {
        let transport = LimitedTransport()
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: transport,
            resilience: Resilience(ResilienceOptions(retry: .never), clock: ManualClock(), random: { 0.5 }),
            logger: LogRecorder().logger())
        return (transport, client)
    }
}

/// Answers at once, and says that it keeps limits.
private struct LimitedTransport: Transport {
    private let script = ScriptedTransport(.json(tideJSON))

    var keepsLimits: Bool { true }

    /// Of each request, how long its head and its body may take.
    var limits: [[Duration?]] { script.requests.map { [$0.headLimit?.remaining, $0.bodyLimit?.remaining] } }

    func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        try await script.send(request, receive: receive)
    }
}
