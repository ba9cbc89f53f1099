import StrataProxy
import StrataTesting
import Testing

/// What goes out through the proxy.
@Suite(.timeLimit(.minutes(1))) struct RelayRequestTests {
    private static let ok = LoopbackServer.Script.always(.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))

    @Test(arguments: [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "M-SEARCH", "PROPFIND", "LOCK", "PURGE",
    ])
    func `any method goes out as it came`(method: String) async throws {
        try await ProxyRig.run(Self.ok) { rig in
            let answer = try await rig.exchange("\(method) /a?b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
            #expect(rig.origin.requests.map { $0.head.hasPrefix("\(method) /a?b HTTP/1.1\r\n") } == [true])
        }
    }

    @Test func `fields go out as they came, but those of the connection`() async throws {
        try await ProxyRig.run(Self.ok) { rig in
            _ = try await rig.exchange(
                "GET / HTTP/1.1\r\nHost: elsewhere\r\nTest-ID: x\r\nReq-Num: 1\r\nPragma: foo\r\nCache-Control: nothing-to-see-here\r\n"
                    + "Cookie: a=1\r\nX-Two: 1\r\nx-two: 2\r\nAccept-Encoding: zork\r\nAuthorization: Basic eDp5\r\n"
                    + "TE: trailers\r\nKeep-Alive: 5\r\nX-Hop: 1\r\nConnection: x-hop, close\r\n\r\n")
            let request = try #require(rig.origin.requests.first)
            #expect(request.values("Host") == ["127.0.0.1:\(rig.origin.port)"])
            let head = request.head.split(separator: "\r\n").filter { !$0.lowercased().hasPrefix("host:") }
            #expect(
                head.joined(separator: "\r\n") == "GET / HTTP/1.1\r\nTest-ID: x\r\nReq-Num: 1\r\n"
                    + "Pragma: foo\r\nCache-Control: nothing-to-see-here\r\nCookie: a=1\r\nX-Two: 1\r\nx-two: 2\r\n"
                    + "Accept-Encoding: zork\r\nAuthorization: Basic eDp5")
        }
    }

    @Test(
        arguments: [
            ("/", "/"), ("/a%2Fb?c=%20&d#", nil), ("/?", "/?"), ("/a//b/../c", "/a//b/../c"),
            ("http://other:81/x?y", "/x?y"), ("http://other", "/"), ("http://other?q", "/?q"), ("*", nil),
        ] as [(String, String?)])
    func `a target keeps its path and query`(sent: String, arrived: String?) async throws {
        try await ProxyRig.run(Self.ok) { rig in
            let answer = try await rig.get(sent)
            #expect(answer.hasPrefix(arrived == nil ? "HTTP/1.1 400 " : "HTTP/1.1 200 "), "\(answer)")
            #expect(rig.origin.requests.map { $0.head.split(separator: " ")[1] } == (arrived.map { [$0[...]] } ?? []))
        }
    }

    @Test(arguments: ["Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"])
    func `a body goes out, framed as it came`(rest: String) async throws {
        try await ProxyRig.run(Self.ok) { rig in
            _ = try await rig.exchange("POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\(rest)")
            let request = try #require(rig.origin.requests.first)
            #expect(request.head.lowercased().contains(rest.prefix { $0 != "\r\n" }.lowercased()))
            #expect(rest.hasSuffix(request.body))
            #expect(request.body.contains("hello"))
        }
    }

    @Test func `a large body goes out as it arrives, and is asked for when the client waits for that`() async throws {
        let body = String(repeating: "x", count: 3_000_000)
        try await ProxyRig.run(Self.ok) { rig in
            let wire = try await RawConnection(port: rig.port)
            wire.send(
                "PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Connection: close\r\n\r\n")
            #expect(try await wire.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            wire.send(body)
            #expect(try await wire.readToEnd().hasPrefix("HTTP/1.1 200 OK"))
            #expect(rig.origin.requests.first?.body.utf8.count == body.utf8.count)
            #expect(rig.origin.requests.first?.values("expect") == [])
        }
    }

    @Test func `an answer before the end of the request reaches the client`() async throws {
        let script = LoopbackServer.Script(atHead: true) { _ in
            [.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")]
        }
        try await ProxyRig.run(script) { rig in
            let wire = try await RawConnection(port: rig.port)
            wire.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\nbegin")
            let answer = try await wire.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
        }
    }

    @Test(arguments: [
        ("1.1", "", false), ("1.1", "Host: a\r\nHost: b\r\n", false), ("1.1", "Host: a\r\nHost: a\r\n", false),
        ("1.1", "Host: a\r\n", true), ("1.1", "Host:\r\n", true), ("1.0", "", true),
        ("1.0", "Host: a\r\nHost: b\r\n", false),
    ])
    func `a request of HTTP 1.1 has one host`(version: String, hosts: String, isPassed: Bool) async throws {
        try await ProxyRig.run(Self.ok) { rig in
            let answer = try await rig.exchange("GET / HTTP/\(version)\r\n\(hosts)Connection: close\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/\(version) \(isPassed ? 200 : 400) "), "\(answer)")
            #expect(rig.origin.requests.count == (isPassed ? 1 : 0))
        }
    }

    @Test func `a tunnel is refused`() async throws {
        try await ProxyRig.run(Self.ok) { rig in
            let answer = try await rig.exchange("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 501 Not Implemented\r\n"), "\(answer)")
            #expect(rig.origin.requests.isEmpty)
        }
    }

    @Test func `a body whose chunks are broken is refused, and the origin gets no end of it`() async throws {
        try await ProxyRig.run(Self.ok) { rig in
            let answer = try await rig.exchange(
                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nnonsense\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(rig.origin.requests.isEmpty)
        }
    }

    @Test(arguments: [([0xC3, 0xBC], true), ([0xFC], false), ([0xC3], false)] as [([UInt8], Bool)])
    func `a field value arrives byte for byte, or is refused`(value: [UInt8], isPassed: Bool) async throws {
        try await ProxyRig.run(Self.ok) { rig in
            let wire = try await RawConnection(port: rig.port)
            wire.send(
                Array("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX-Name: ".utf8) + value
                    + Array("\r\n\r\n".utf8))
            let answer = try await wire.readToEnd()
            #expect(answer.hasPrefix(isPassed ? "HTTP/1.1 200 " : "HTTP/1.1 400 "), "\(answer)")
            #expect(rig.origin.requests.map { $0.values("x-name") } == (isPassed ? [["\u{FC}"]] : []))
        }
    }

    @Test(arguments: ["nonsense\r\n\r\n", "GET / HTTP/1.1\r\nNo colon\r\n\r\n", "GET /\u{1} HTTP/1.1\r\n\r\n"])
    func `a request that is not HTTP gets a 400`(text: String) async throws {
        try await ProxyRig.run(Self.ok) { rig in
            let answer = try await rig.exchange(text)
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
            #expect(rig.origin.requests.isEmpty)
        }
    }
}
