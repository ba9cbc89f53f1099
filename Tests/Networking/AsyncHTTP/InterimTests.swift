import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Interim responses (1xx) on their way to a call that wants them.
@Suite(.timeLimit(.minutes(1))) struct InterimTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Sends one request, and returns the interim responses before its response.
    private func exchange(
        _ transport: AsyncHTTPTransport, _ server: LoopbackServer, body: UploadBody? = nil, isListening: Bool = true
    ) async -> (interim: [ResponseHead], status: Result<Int?, any Error>) {
        let (interim, status) = (Shared<[ResponseHead]>([]), Shared<Int?>(nil))
        let listener: @Sendable (ResponseHead) -> Void = { head in interim.change { $0.append(head) } }
        do {
            let context = CallContext(
                requestId: "r", summary: "GET /", deadline: Deadline(in: .seconds(1), on: MonotonicTime(ManualClock())),
                interim: isListening ? listener : nil)
            let request = try ClientRequest(
                body == nil ? .get : .put, HTTPURL(server.url), headers: ["X-Own": "1"], body: body, context: context)
            try await transport.send(request) { response in
                status.change { $0 = response.head.status }
                _ = try await response.body.collect(upTo: 1000)
            }
        } catch {
            return (interim.value, .failure(error))
        }
        return (interim.value, .success(status.value))
    }

    private func run(
        _ script: LoopbackServer.Script, _ body: (AsyncHTTPTransport, LoopbackServer) async throws -> Void
    ) async throws {
        let (server, transport) = (try await LoopbackServer.start(script), AsyncHTTPTransport())
        do { try await body(transport, server) } catch { Issue.record(error) }
        await transport.shutdown()
        await server.stop()
    }

    @Test func `interim responses arrive with their fields before the response`() async throws {
        let bytes = "HTTP/1.1 102 Busy\r\n\r\nHTTP/1.1 103 Hints\r\nLink: a\r\nlink: b\r\n\r\n" + Self.ok
        // The network may cut the bytes anywhere.
        for cut in [1, 9, 19, 20, 30, 45, bytes.utf8.count - 3] {
            let parts = [String(bytes.utf8.prefix(cut))!, String(bytes.utf8.dropFirst(cut))!]
            try await run(.always(.send(parts[0]), .send(parts[1]))) { transport, server in
                let (interim, status) = await exchange(transport, server)
                #expect(interim.map(\.status) == [102, 103])
                #expect(interim.last?.headers.values("Link") == ["a", "b"])
                let final = try status.get()
                #expect(final == 200)
            }
        }
    }

    @Test(arguments: [
        nil, UploadBody.bytes(Data([1])),
        .stream(length: nil, isReplayable: false) { ResponseBody(chunks: [Data([1])]) },
    ])
    func `the server sees nothing of a listener`(body: UploadBody?) async throws {
        try await run(.always(.send("HTTP/1.1 103 Hints\r\n\r\n" + Self.ok))) { transport, server in
            let (interim, status) = await exchange(transport, server, body: body)
            #expect(interim.count == 1)
            let final = try status.get()
            #expect(final == 200)
            let head = try #require(server.requests.first?.head)
            #expect(head.contains("X-Own: 1") && !head.lowercased().contains("listener"), "\(head)")
        }
    }

    @Test func `a call on a used connection gets no interim responses of the call before`() async throws {
        try await run(.always(.send("HTTP/1.1 103 Hints\r\n\r\n" + Self.ok))) { transport, server in
            let first = await exchange(transport, server)
            let second = await exchange(transport, server, isListening: false)
            let third = await exchange(transport, server)
            #expect([first, second, third].map(\.interim.count) == [1, 0, 1])
            #expect(server.connections == 1)
        }
    }

    @Test func `too many interim responses are an error`() async throws {
        let many = String(repeating: "HTTP/1.1 103 H\r\n\r\n", count: 17)
        try await run(.always(.send(many + Self.ok))) { transport, server in
            let (interim, status) = await exchange(transport, server)
            let error = #expect(throws: NetworkError.self) { _ = try status.get() }
            #expect(
                error?.description.contains("more than 16 interim responses") == true, "\(String(describing: error))")
            #expect(interim.count == 16)
        }
    }
}
