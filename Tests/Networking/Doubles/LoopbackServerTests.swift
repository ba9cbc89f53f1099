import StrataTesting
import Testing

/// The server of the tests, seen through a plain connection.
struct LoopbackServerTests {
    private static let get = "GET /a?b=1 HTTP/1.1\r\nHost: h\r\nX-Name: one\r\nx-name: two\r\n\r\n"

    @Test func `requests on one connection are recorded, and get the responses of the queue in order`() async throws {
        let script = LoopbackServer.Script.inOrder([.response("200 OK", "first")], [.response("201 Created", "second")])
        try await LoopbackServer.run(script) { server in
            let post = "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\ntide"
            let chunked = "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\r\n\r\n4\r\ntide\r\n0\r\n\r\n"
            let text = try await RawConnection.exchange(Self.get + post + chunked, port: server.port)
            #expect(
                text == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"
                    + "HTTP/1.1 201 Created\r\nContent-Length: 6\r\n\r\nsecond")
            #expect(server.requests.map(\.number) == [1, 2, 3] && server.connections == 1)
            #expect(server.requests[0].method == "GET" && server.requests[0].target == "/a?b=1")
            #expect(server.requests[0].values("X-NAME") == ["one", "two"])
            #expect(server.requests[1].body == "tide" && server.requests[2].bytes.count == 21)
        }
    }

    @Test(arguments: [0, 1, 17, 40])
    func `a response is cut after any byte`(count: Int) async throws {
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"
        let steps = [LoopbackServer.Step.send("HTTP/1.1 200 OK\r\n"), .send("Content-Length: 5\r\n\r\nfirst")]
        try await LoopbackServer.run(.init { _ in steps.cut(after: count) }) { server in
            let text = try await RawConnection.exchange(Self.get, port: server.port)
            #expect(text == String(decoding: whole.utf8.prefix(count), as: UTF8.self))
        }
    }

    @Test func `a response stalls until its gate opens, or for a time`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let script = LoopbackServer.Script.always(
            .send("begin"), .wait(gate), .send("middle"), .pause(.seconds(9), on: clock), .send("end"), .close)
        try await LoopbackServer.run(script) { server in
            let connection = try await RawConnection(port: server.port)
            connection.send(Self.get)
            #expect(try await connection.read(until: "begin") == "begin")
            gate.open()
            #expect(try await connection.read(until: "middle") == "middle")
            await clock.waitForSleeper(dueIn: .seconds(9))
            clock.advance(by: .seconds(9))
            #expect(try await connection.readToEnd() == "end")
        }
    }

    @Test(arguments: [LoopbackServer.Step.close, .cut, .reset, .finish])
    func `each way to end a connection is seen`(end: LoopbackServer.Step) async throws {
        try await LoopbackServer.run(.always(end)) { server in
            let text = try await RawConnection.exchange(Self.get, port: server.port)
            #expect(text.isEmpty)
            try await server.waitForCloses(1)
        }
    }

    @Test func `a response at the head ignores the rest of the body`() async throws {
        try await LoopbackServer.run(.init(atHead: true) { _ in [.send("early"), .close] }) { server in
            let head = "POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\nbegin"
            let text = try await RawConnection.exchange(head, port: server.port)
            #expect(text == "early")
            #expect(server.requests.map(\.body) == [""])
        }
    }

    @Test func `the end of its scope ends every script and connection, and later callers are refused`() async throws {
        let script = LoopbackServer.Script.always(.send("begin"), .wait(Gate()), .send("never"))
        let (connection, port) = try await LoopbackServer.run(script) { server in
            let connection = try await RawConnection(port: server.port)
            connection.send(Self.get)
            _ = try await connection.read(until: "begin")
            return (connection, server.port)
        }
        #expect(try await connection.readToEnd() == "")
        await #expect(throws: RawConnection.Refused.self) { _ = try await RawConnection(port: port) }
    }

    @Test func `a head without an end closes the connection`() async throws {
        try await LoopbackServer.run(.silent) { server in
            let head = "GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 70_000)
            let text = try await RawConnection.exchange(head, port: server.port)
            #expect(text.isEmpty)
        }
    }
}
