import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataProxy
import StrataTesting
import Testing

/// What comes back through the proxy.
@Suite(.timeLimit(.minutes(1))) struct RelayAnswerTests {
    private static let date = "Date: Mon, 01 Jan 2001 00:00:00 GMT\r\n"

    @Test(arguments: [
        "200 OK", "200 All is well", "206 Partial Content", "299 Odd", "301 Moved Permanently", "404 Not Found",
        "407 Proxy Authentication Required", "499 Gone Away", "599 Own", "999 304 Not Generated", "200 ",
        "226 caf\u{E9}",
    ])
    func `the status is the origin's, and the reason the registered one`(line: String) async throws {
        let rest = "Location: /elsewhere\r\n\(Self.date)Content-Length: 2\r\n"
        try await ProxyRig.run(.always(.send("HTTP/1.1 \(line)\r\n\(rest)\r\nok"))) { rig in
            let answer = try await rig.get()
            #expect(answer.hasPrefix("HTTP/1.1 \(line.prefix(4))"))
            #expect(answer.hasSuffix("\r\n\(rest)Connection: close\r\n\r\nok"))
            #expect(!answer.contains("All is well"))
            #expect(rig.origin.requests.count == 1)
        }
    }

    @Test(arguments: [
        "Set-Cookie: a=1; Path=/\r\nX-Between: 1\r\nSet-Cookie: b=2\r\nset-cookie: c=3\r\n",
        "Content-Encoding: zork\r\n", "Content-Encoding: gzip\r\n", "Server: tides/1\r\nAge: 5\r\n",
        "Cache-Control: max-age=1, odd=\"x, y\"\r\nVary: *\r\n", "X-Empty: \r\nx-lower: A\r\n",
    ])
    func `fields are the origin's, in their order`(fields: String) async throws {
        let head = "HTTP/1.1 200 OK\r\n\(fields)\(Self.date)Content-Length: 2\r\n"
        try await ProxyRig.run(.always(.send(head + "\r\nok"))) { rig in
            let answer = try await rig.get()
            #expect(answer == head + "Connection: close\r\n\r\nok")
        }
    }

    @Test func `connection fields of the origin are not forwarded`() async throws {
        let fields =
            "Connection: X-Hop , keep-alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nProxy-Connection: x\r\n"
            + "Trailer: X\r\nUpgrade: h2c\r\nX-Kept: 1\r\n\(Self.date)"
        try await ProxyRig.run(
            .always(.send("HTTP/1.1 200 OK\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"))
        ) { rig in
            let answer = try await rig.get()
            #expect(
                answer == "HTTP/1.1 200 OK\r\nX-Kept: 1\r\n\(Self.date)Connection: close\r\n"
                    + "transfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
        }
    }

    @Test func `a transfer coding that is not understood does not reach the client`() async throws {
        var options = AsyncHTTPOptions.standard
        options.passesTransferCodings = true
        let head = "HTTP/1.1 200 OK\r\n\(Self.date)"
        let script = LoopbackServer.Script.always(.send("\(head)Transfer-Encoding: odd\r\n\r\nok"), .close)
        try await ProxyRig.run(script, options: options) { rig in
            let answer = try await rig.get()
            let fields = "Connection: close\r\ntransfer-encoding: chunked\r\n"
            #expect(answer == "\(head)\(fields)\r\n2\r\nok\r\n0\r\n\r\n")
        }
    }

    @Test func `a date is added where the origin sent none`() async throws {
        try await ProxyRig.run(.always(.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))) { rig in
            let answer = try await rig.get()
            #expect(answer.contains("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"))
        }
    }

    @Test(arguments: [
        ("HEAD", "200 OK", "Content-Length: 55\r\n", "Content-Length: 55\r\n"),
        ("HEAD", "200 OK", "", "transfer-encoding: chunked\r\n"), ("GET", "304 Not Modified", "", ""),
        ("GET", "304 Not Modified", "Content-Length: 55\r\n", ""), ("GET", "204 No Content", "", ""),
    ])
    func `an answer without body leaves the connection to the next one`(
        method: String, line: String, sent: String, received: String
    ) async throws {
        let head = "HTTP/1.1 \(line)\r\nETag: \"1\"\r\n\(Self.date)"
        try await ProxyRig.run(.always(.send("\(head)\(sent)\r\n"))) { rig in
            let wire = try await RawConnection(port: rig.port)
            wire.send("\(method) / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await wire.read(until: "\r\n\r\n") == "\(head)\(received)\r\n")
            wire.send("\(method) / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            #expect(try await wire.readToEnd().hasPrefix("HTTP/1.1 \(line)\r\n"))
        }
    }

    @Test func `requests on one connection get their responses in order`() async throws {
        let script = LoopbackServer.Script { exchange in
            [.json("\"\(exchange.head.split(separator: " ")[1])\"")]
        }
        try await ProxyRig.run(script) { rig in
            let wire = try await RawConnection(port: rig.port)
            wire.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await wire.read(until: "\"/1\"").hasSuffix("\"/1\""))
            wire.send(
                (2...4).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\($0 == 4 ? "Connection: close\r\n" : "")\r\n" }
                    .joined())
            let text = try await wire.readToEnd()
            let places = (2...4).compactMap { text.firstRange(of: "\"/\($0)\"")?.lowerBound }
            #expect(places.count == 3 && places == places.sorted())
        }
    }

    @Test func `a client of HTTP/1.0 gets no chunks`() async throws {
        try await ProxyRig.run(
            .always(.send("HTTP/1.1 200 OK\r\n\(Self.date)Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"))
        ) { rig in
            let answer = try await rig.exchange("GET / HTTP/1.0\r\n\r\n")
            #expect(
                answer
                    == "HTTP/1.0 200 OK\r\n\(Self.date)Connection: close\r\n\r\nok")
        }
    }

    @Test func `interim responses come first, but not those that answer this connection`() async throws {
        let fields = "Link: </s.css>; rel=preload\r\nX-Mine: 1\r\n\r\n"
        try await ProxyRig.run(
            .always(
                .send(
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Work in progress\r\n\r\n"
                        + "HTTP/1.1 103 Early Hints\r\n\(fields)"),
                .send("HTTP/1.1 200 OK\r\n\(Self.date)Content-Length: 2\r\n\r\nok"))
        ) { rig in
            let answer = try await rig.get()
            #expect(
                answer == "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 \r\n\(fields)"
                    + "HTTP/1.1 200 OK\r\n\(Self.date)Content-Length: 2\r\nConnection: close\r\n\r\nok")
            let old = try await rig.exchange("GET / HTTP/1.0\r\n\r\n")
            #expect(old.hasPrefix("HTTP/1.0 200 OK"))
        }
    }

    @Test func `a body arrives while it is sent`() async throws {
        let gate = Gate()
        try await ProxyRig.run(
            .always(
                .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst"), .wait(gate), .send("other"))
        ) { rig in
            let wire = try await RawConnection(port: rig.port)
            wire.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            #expect(try await wire.read(until: "first").hasSuffix("first"))
            gate.open()
            #expect(try await wire.readToEnd() == "other")
        }
    }

    @Test(arguments: ["Content-Length: 10\r\n\r\nfirst", "Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"])
    func `half a body does not pass for a whole one`(rest: String) async throws {
        try await ProxyRig.run(.always(.send("HTTP/1.1 200 OK\r\n" + rest), .close)) { rig in
            let wire = try await RawConnection(port: rig.port)
            wire.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let text = try await wire.readToEnd()
            #expect(text.hasPrefix("HTTP/1.1 200 OK") && text.contains("first") && !text.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test func `a closed client connection closes the origin's`() async throws {
        try await ProxyRig.run(.silent) { rig in
            let wire = try await RawConnection(port: rig.port)
            wire.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            try await rig.origin.waitForRequests(1)
            await wire.close()
            try await rig.origin.waitForCloses(1)
        }
    }
}
