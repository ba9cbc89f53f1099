import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// The production transport against real sockets on the loopback interface.
struct AsyncHTTPTransportTests {
    /// A client of `url` whose time the test moves.
    private struct Rig {
        let clock = ManualClock()
        let logs = LogRecorder()
        let transport: AsyncHTTPTransport
        let client: HTTPAPIClient

        init(_ url: String, retry: RetryPolicy = .never, bodyLimit: Int = 1 << 20) throws {
            transport = AsyncHTTPTransport()
            client = try HTTPAPIClient(
                baseURL: HTTPURL(url), transport: transport,
                resilience: Resilience(ResilienceOptions(retry: retry), clock: clock, random: { 0.5 }),
                options: ClientOptions(bodyLimit: bodyLimit), logger: logs.logger())
        }

        func failure<E: Endpoint>(of endpoint: E) async -> NetworkError {
            do { _ = try await client.send(endpoint) } catch { return error }
            return NetworkError(.unexpected("the call succeeded"))
        }
    }

    private func run(
        _ respond: @escaping @Sendable (LoopbackServer.Exchange) async -> [LoopbackServer.Step], retry: RetryPolicy = .never,
        bodyLimit: Int = 1 << 20, _ body: (Rig, LoopbackServer) async throws -> Void
    ) async throws {
        let server = try await LoopbackServer.start(respond)
        let rig = try Rig(server.url, retry: retry, bodyLimit: bodyLimit)
        do { try await body(rig, server) } catch {
            Issue.record(error)
        }
        await rig.transport.shutdown()
        await server.stop()
    }

    @Test func `sends what the endpoint says and reads the answer`() async throws {
        try await run({ _ in [.json(tideJSON, headers: "X-A: 1\r\nx-a: 2\r\n")] }) { rig, server in
            let response = try await rig.client.response(to: AddTide(), options: CallOptions(idempotencyKey: "k-1"))
            #expect(response.value == tide)
            #expect(response.head.headers.values("X-A") == ["1", "2"])
            let request = server.requests[0]
            #expect(request.head.hasPrefix("POST /v1/tides HTTP/1.1\r\n"))
            for field in ["Idempotency-Key: k-1", "Content-Type: application/json", "X-Request-Deadline-Ms: 10000"] {
                #expect(request.head.contains("\r\n\(field)"))
            }
            #expect(request.body == #"{"metres":4.2,"name":"bar"}"#)
        }
    }

    @Test func `uses one connection for calls in a row, failures included`() async throws {
        try await run({ $0.number == 2 ? [.json("{}", status: "404 Not Found")] : [.json(tideJSON)] }) { rig, server in
            for _ in 1...5 { _ = try? await rig.client.send(ShowTide()) }
            #expect(server.requests.count == 5)
            #expect(server.connections == 1)
        }
    }

    @Test func `a refused connection is offline: nothing was sent`() async throws {
        let server = try await LoopbackServer.start { _ in [] }
        await server.stop()
        let rig = try Rig(server.url)
        let failure = await rig.failure(of: AddTide())
        #expect(failure.kindText.hasPrefix("offline"))
        #expect(failure.description.contains("connection refused"))
        await rig.transport.shutdown()
    }

    @Test func `an unknown host is offline`() async throws {
        let rig = try Rig("http://no-such-host.invalid")
        #expect(await rig.failure(of: ShowTide()).kindText.hasPrefix("offline"))
        await rig.transport.shutdown()
    }

    @Test func `a POST is sent again after a refused connection, since nothing was sent`() async throws {
        let server = try await LoopbackServer.start { _ in [] }
        await server.stop()
        let rig = try Rig(server.url, retry: RetryPolicy(attempts: 3, baseDelay: .zero))
        #expect(await rig.failure(of: AddTide()).attempts.map(\.outcome) == Array(repeating: "no connection", count: 3))
        await rig.transport.shutdown()
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"name\":", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"na", "",
        "HTTP/1.1 200 OK\r\nConte",
    ])
    func `a connection closed too early is lost, never half an answer`(bytes: String) async throws {
        try await run({ _ in [.send(bytes), .close] }) { rig, server in
            #expect(await rig.failure(of: AddTide()).kindText.hasPrefix("connectionLost"))
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a GET whose answer broke off is sent again`() async throws {
        try await run(
            { $0.number == 1 ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), .close] : [.json(tideJSON)] },
            retry: RetryPolicy(attempts: 3, baseDelay: .zero)
        ) { rig, server in
            let answer = try await rig.client.send(ShowTide())
            #expect(answer == tide)
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "\u{0}\u{1}\u{2}garbage\r\n\r\n"])
    func `what is no HTTP is an invalid response`(bytes: String) async throws {
        try await run({ _ in [.send(bytes), .close] }) { rig, _ in
            #expect(await rig.failure(of: ShowTide()).kindText.hasPrefix("invalidResponse"))
        }
    }

    @Test func `a plain server does not pass for a secure one`() async throws {
        let server = try await LoopbackServer.start { _ in [.json(tideJSON)] }
        let rig = try Rig("https://127.0.0.1:\(server.port)")
        #expect(await rig.failure(of: ShowTide()).kindText.hasPrefix("tls"))
        #expect(server.requests.isEmpty)
        await rig.transport.shutdown()
        await server.stop()
    }

    @Test func `a slow body ends with the deadline, and its connection is closed`() async throws {
        try await run({ _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")] }) { rig, server in
            async let failure = rig.failure(of: ShowTide())
            await server.waitForRequests(1)
            rig.clock.advance(by: .seconds(30))
            #expect(await failure.kindText == "timeout")
            await server.waitForCloses(1)
        }
    }

    @Test func `a silent server ends with the deadline`() async throws {
        try await run({ _ in [] }) { rig, server in
            async let failure = rig.failure(of: ShowTide())
            await server.waitForRequests(1)
            rig.clock.advance(by: .seconds(30))
            #expect(await failure.kindText == "timeout")
            await server.waitForCloses(1)
        }
    }

    @Test func `cancelling the caller closes the connection`() async throws {
        try await run({ _ in [] }) { rig, server in
            let call = Task { await rig.failure(of: ShowTide()) }
            await server.waitForRequests(1)
            call.cancel()
            #expect(await call.value.kindText == "cancelled")
            await server.waitForCloses(1)
        }
    }

    @Test func `cancelling while the body is read closes the connection`() async throws {
        try await run({ _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")] }) { rig, server in
            let began = Gate()
            let call = Task {
                try await rig.client.stream(ShowTide(), options: CallOptions()) { _, chunks in
                    for try await _ in chunks { began.open() }
                    return "half an answer passed for a whole one"
                }
            }
            try await began.wait()
            call.cancel()
            let error = await #expect(throws: NetworkError.self) { try await call.value }
            #expect(error?.kindText == "cancelled")
            await server.waitForCloses(1)
        }
    }

    @Test func `a body over the limit is refused, and its connection closed`() async throws {
        let chunk = String(repeating: "x", count: 65_536)
        let chunked = "10000\r\n\(chunk)\r\n"
        try await run(
            { _ in
                [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")]
                    + Array(repeating: .send(chunked), count: 40) + [.send("0\r\n\r\n")]
            }, bodyLimit: 1 << 20
        ) { rig, server in
            #expect(await rig.failure(of: ShowTide()).description.contains("larger than 1048576 bytes"))
            await server.waitForCloses(1)
        }
    }

    @Test func `a large body arrives whole and in order`() async throws {
        let count = 200_000
        let text = (0..<count).map { "\($0)," }.joined()
        try await run({ _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")] }) { rig, _ in
            let bytes = try await rig.client.bytes(ShowTide(), upTo: 4 << 20)
            #expect(String(decoding: bytes, as: UTF8.self) == text)
        }
    }

    @Test(arguments: ["301 Moved", "302 Found", "303 See Other", "304 Not Modified", "305 Use Proxy", "307 Temporary", "308 Permanent"])
    func `a redirect is not followed`(status: String) async throws {
        try await run({ _ in [.json("", status: status, headers: "Location: /elsewhere\r\n")] }) { rig, server in
            #expect(await rig.failure(of: ShowTide()).kindText.hasPrefix("status(\(status.prefix(3))"))
            #expect(server.requests.count == 1)
        }
    }

    @Test func `HEAD announces a length and sends none`() async throws {
        try await run({ _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n")] }) { rig, server in
            let bytes = try await rig.client.bytes(HarbourEndpoint.head, upTo: 10)
            #expect(bytes.isEmpty)
            #expect(server.requests[0].head.hasPrefix("HEAD /harbour"))
        }
    }

    @Test(arguments: [5, nil] as [Int?])
    func `streams a request body, with its length or in chunks`(length: Int?) async throws {
        try await run({ _ in [.json(tideJSON)] }) { rig, server in
            let body = UploadBody.stream(length: length, isReplayable: false) {
                AsyncThrowingStream { continuation in
                    for part in ["ab", "c", "de"] { continuation.yield(Data(part.utf8)) }
                    continuation.finish()
                }
            }
            let time = MonotonicTime(rig.clock)
            let context = CallContext(requestId: "r", summary: "POST /", deadline: Deadline(in: .seconds(1), on: time))
            let request = ClientRequest(.post, try HTTPURL(server.url), body: body, context: context)
            try await rig.transport.send(request) { response in #expect(response.head.status == 200) }
            let sent = server.requests[0]
            #expect(length == nil ? sent.body.hasSuffix("0\r\n\r\n") : sent.body == "abcde")
        }
    }

    @Test func `shutdown lets requests in flight finish and takes no new ones`() async throws {
        let gate = Gate()
        let server = try await LoopbackServer.start { _ in
            try? await gate.wait()
            return [.json(tideJSON)]
        }
        let rig = try Rig(server.url)
        async let answer = rig.client.send(ShowTide())
        await server.waitForRequests(1)
        async let shutdown: Void = rig.transport.shutdown()
        var refusal = ""
        while !refusal.contains("shut down") {
            let call = Task { await rig.failure(of: RemoveTide()) }
            await Task.yield()
            call.cancel()
            refusal = await call.value.description
        }
        gate.open()
        #expect(try await answer == tide)
        await shutdown
        await rig.transport.shutdown()
        await server.stop()
    }

    @Test func `a transport that is dropped ends without a trap`() async throws {
        let server = try await LoopbackServer.start { _ in [.json(tideJSON)] }
        do {
            let rig = try Rig(server.url)
            _ = try await rig.client.send(ShowTide())
        }
        await server.waitForCloses(1)
        await server.stop()
    }

    @Test func `options out of range are refused with a sentence`() {
        #expect(throws: OptionsError.self) { try AsyncHTTPOptions(connectTimeout: .zero) }
        #expect(throws: OptionsError.self) { try AsyncHTTPOptions(idleTimeout: .seconds(86_400)) }
        #expect(throws: OptionsError.self) { try AsyncHTTPOptions(connectionsPerOrigin: 0) }
        #expect(throws: OptionsError.self) { try AsyncHTTPOptions(grace: .seconds(-1)) }
    }
}
