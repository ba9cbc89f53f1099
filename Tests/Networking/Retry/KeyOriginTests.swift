import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// A write that is redirected to another origin, which answers 503.
struct KeyOriginTests {
    @Test(arguments: [
        (automatic: true, key: nil, sent: 2),
        (automatic: true, key: "mine", sent: 3),
        (automatic: false, key: nil, sent: 2),
        (automatic: false, key: "mine", sent: 3),
    ])
    func `only a key of the caller's lets a write be repeated at another origin`(
        automatic: Bool, key: String?, sent: Int
    ) async throws {
        let bench = try Bench(
            .status(307, headers: ["Location": "http://other.test/v1/tides"]),
            .status(503), .json(#"{"name":"bar"}"#), resilience: .atOnce,
            options: ClientOptions(addsIdempotencyKeys: automatic))
        let answer = try? await bench.client.send(AddTide(), options: CallOptions(idempotencyKey: key))
        #expect(bench.transport.requests.count == sent)
        #expect((answer != nil) == (sent == 3))
    }

    @Test func `an automatic key lets a write be repeated at its own origin`() async throws {
        let bench = try Bench(
            .status(307, headers: ["Location": "/v2/tides"]),
            .status(503), .json(#"{"name":"bar"}"#), resilience: .atOnce,
            options: ClientOptions(addsIdempotencyKeys: true))
        _ = try await bench.client.send(AddTide())
        #expect(Set(bench.transport.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(bench.transport.requests.count == 3)
    }
}
