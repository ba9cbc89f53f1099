import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// What passes over the wire when all is well.
struct ExchangeTests {
    @Test func `sends what the endpoint says and reads the answer`() async throws {
        try await Rig.run(.always(.json(tideJSON, headers: "X-A: 1\r\nx-a: 2\r\n"))) { rig, server in
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
        try await Rig.run(
            .init { $0.number == 2 ? [.json("{}", status: "404 Not Found")] : [.json(tideJSON)] }
        ) { rig, server in
            for _ in 1...5 { _ = try? await rig.client.send(ShowTide()) }
            #expect(server.requests.count == 5)
            #expect(server.connections == 1)
        }
    }

    @Test func `a body over the limit is refused, and its connection closed`() async throws {
        let chunk = String(repeating: "x", count: 65_536)
        let chunked = "10000\r\n\(chunk)\r\n"
        try await Rig.run(
            .init { _ in
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
        try await Rig.run(.always(.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"))) {
            rig, _ in
            let bytes = try await rig.client.bytes(ShowTide(), upTo: 4 << 20)
            #expect(String(decoding: bytes, as: UTF8.self) == text)
        }
    }

    @Test(arguments: [
        "301 Moved", "302 Found", "303 See Other", "304 Not Modified", "305 Use Proxy", "307 Temporary",
        "308 Permanent",
    ])
    func `the transport follows no redirect`(status: String) async throws {
        try await Rig.run(.always(.json("", status: status, headers: "Location: /elsewhere\r\n"))) { rig, server in
            #expect(await rig.failure(of: ShowTide()).kindText.hasPrefix("status(\(status.prefix(3))"))
            #expect(server.requests.count == 1)
        }
    }

    @Test func `HEAD announces a length and sends none`() async throws {
        try await Rig.run(.always(.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"))) { rig, server in
            let bytes = try await rig.client.bytes(HarbourEndpoint.head, upTo: 10)
            #expect(bytes.isEmpty)
            #expect(server.requests[0].head.hasPrefix("HEAD /harbour"))
        }
    }

    @Test(arguments: [5, nil] as [Int?])
    func `streams a request body, with its length or in chunks`(length: Int?) async throws {
        try await Rig.run(.always(.json(tideJSON))) { rig, server in
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
}
