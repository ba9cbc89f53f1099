import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// What passes over the wire when all is well.
struct ExchangeTests {
    @Test func `a call sends its endpoint and decodes the response`() async throws {
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
}
