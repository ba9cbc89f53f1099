import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct UploadTests {
    private let opened = CallCounter()

    private func body(isReplayable: Bool) -> UploadBody {
        let opened = opened
        return .stream(length: 3, isReplayable: isReplayable, contentType: "text/csv") {
            opened.increment()
            return ResponseBody(Data("a,b".utf8))
        }
    }

    /// Reads the whole body of a request, then answers.
    private static func reading(then answer: @escaping @Sendable () throws -> (Int, HeaderFields))
        -> ScriptedTransport.Answer
    {
        ScriptedTransport.Answer { request in
            var text = ""
            if let stream = try await request.body?.open() {
                for try await chunk in stream { text += String(decoding: chunk, as: UTF8.self) }
            }
            guard text == "a,b" else { throw NetworkError(.unexpected("the body was '\(text)'")) }
            let (status, fields) = try answer()
            var headers = fields
            headers["Content-Type"] = "application/json"
            return ClientResponse(
                ResponseHead(status: status, headers: headers), body: ResponseBody(Data(tideJSON.utf8)))
        }
    }

    private static let ok = reading { (200, [:]) }
    private static let busy = reading { (503, [:]) }
    private static let lost = reading { throw NetworkError(.connectionLost("reset")) }
    private static let refused = reading { (401, [:]) }
    private static let moved = reading { (307, ["Location": "/elsewhere"]) }

    @Test(arguments: [busy, lost, refused, moved])
    func `a body that can be read again is sent again, whole`(first: ScriptedTransport.Answer) async throws {
        let bench = try Bench(
            first, Self.ok, auth: .bearer(FakeTokens()),
            resilience: ResilienceOptions(retry: RetryPolicy(attempts: 3, baseDelay: .zero)))
        let answer = try await bench.client.upload(
            AddTide(), body: body(isReplayable: true), options: CallOptions(idempotencyKey: "k"))
        #expect(answer.value == tide)
        #expect(opened.value == 2)
        let requests = bench.transport.requests
        #expect(requests.map { $0.headers["Content-Type"] } == ["text/csv", "text/csv"])
        #expect(requests.map(\.method) == [.post, .post])
    }

    @Test(arguments: [busy, lost, refused, moved])
    func `a body that cannot be read again is sent once, and its failure is the result`(first: ScriptedTransport.Answer)
        async throws
    {
        let tokens = FakeTokens()
        let bench = try Bench(
            first, Self.ok, auth: .bearer(tokens),
            resilience: ResilienceOptions(retry: RetryPolicy(attempts: 3, baseDelay: .zero)))
        let options = CallOptions(idempotencyKey: "k")
        await #expect(throws: NetworkError.self) {
            try await bench.client.upload(AddTide(), body: body(isReplayable: false), options: options)
        }
        #expect(opened.value == 1)
        #expect(bench.transport.requests.count == 1)
        #expect(await tokens.refreshes == 0)
    }

    @Test func `the endpoint's own body makes way`() async throws {
        let bench = try Bench.plain(Self.ok)
        _ = try await bench.client.upload(AddTide(), body: body(isReplayable: true), options: CallOptions())
        #expect(bench.transport.requests[0].body?.length == 3)
        #expect(bench.transport.requests[0].headers.values("Content-Type") == ["text/csv"])
    }
}
