import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataProxy
import StrataTesting
import Testing

/// What the proxy does when something is missing, slow or over.
@Suite(.timeLimit(.minutes(1))) struct RelayFailureTests {
    @Test func `an origin that is not there is a 502 with a sentence`() async throws {
        // Not a port that was free a moment ago: a server of another test may take it.
        let transport = AsyncHTTPTransport()
        let proxy = try await ProxyRig.start(to: "http://127.0.0.1:1", transport)
        let answer = try await RawConnection.exchange(
            "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", port: HTTPURL(proxy.url).origin.port)
        #expect(answer.hasPrefix("HTTP/1.1 502 Bad Gateway\r\nContent-Type: application/problem+json\r\n"))
        #expect(answer.contains("did not answer this request: no connection: "), "\(answer)")
        #expect(answer.contains("connection refused"), "\(answer)")
        await proxy.drain()
        await transport.shutdown()
    }

    @Test(arguments: [
        [LoopbackServer.Step.close], [.reset], [.send("HTTP/1.1 200 OK\r\nX-Ha"), .close], [.send("nonsense\r\n\r\n")],
    ])
    func `an origin that breaks off is a 502, and is asked once`(steps: [LoopbackServer.Step]) async throws {
        try await ProxyRig.run(LoopbackServer.Script { _ in steps }) { rig in
            let answer = try await rig.get()
            #expect(answer.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
            #expect(rig.origin.requests.count == 1)
        }
    }

    @Test(arguments: [false, true])
    func `a head that is too large is refused, the client's with 400 and the origin's with 502`(
        isClients: Bool
    ) async throws {
        let field = "X-Large: \(String(repeating: "x", count: 100_000))\r\n"
        try await ProxyRig.run(.always(.send("HTTP/1.1 200 OK\r\n\(field)Content-Length: 0\r\n\r\n"))) { rig in
            let answer =
                isClients
                ? try await rig.exchange("GET / HTTP/1.1\r\nHost: h\r\n\(field)\r\n") : try await rig.get()
            #expect(answer.hasPrefix("HTTP/1.1 \(isClients ? 400 : 502) "), "\(answer.prefix(200))")
            #expect(rig.origin.requests.count == (isClients ? 0 : 1))
        }
    }

    @Test func `a connection to the origin that is not used again is closed`() async throws {
        var options = AsyncHTTPOptions.standard
        options.keepTime = .milliseconds(10)
        let script = LoopbackServer.Script.always(.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        try await ProxyRig.run(script, options: options) { rig in
            let answer = try await rig.get()
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            try await rig.origin.waitForCloses(1)
        }
    }

    @Test func `with retries a read that broke off is asked again`() async throws {
        let script = LoopbackServer.Script { exchange in
            exchange.number == 1 ? [.close] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")]
        }
        try await ProxyRig.run(script, retries: 1) { rig in
            let answer = try await rig.get()
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(rig.origin.requests.count == 2)
        }
    }

    @Test func `a silent origin is a 504`() async throws {
        try await ProxyRig.run(.silent, options: AsyncHTTPOptions(idleTimeout: .milliseconds(50))) { rig in
            let answer = try await rig.get()
            #expect(answer.hasPrefix("HTTP/1.1 504 Gateway Timeout\r\n"))
        }
    }

    @Test func `a client that says nothing is not waited for`() async throws {
        try await ProxyRig.run(.silent, idleTimeout: .milliseconds(500)) { rig in
            let texts = ["", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf"]
            for text in texts {
                let answer = try await rig.exchange(text)
                #expect(answer == "")
            }
        }
    }

    @Test func `an origin that thinks for long is waited for longer than a client`() async throws {
        let gate = Gate()
        let script = LoopbackServer.Script.always(
            .wait(gate), .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        try await ProxyRig.run(script, idleTimeout: .seconds(1)) { rig in
            let patient = try await RawConnection(port: rig.port)
            patient.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            try await rig.origin.waitForRequests(1)
            // A connection that is closed for its silence has been silent for as long as the other one has waited.
            let silent = try await rig.exchange("")
            #expect(silent == "")
            gate.open()
            #expect(try await patient.readToEnd().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test func `draining closes idle connections and lets the request in flight end`() async throws {
        let gate = Gate()
        let script = LoopbackServer.Script.always(
            .wait(gate), .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        try await ProxyRig.run(script) { rig in
            let (busy, idle) = (try await RawConnection(port: rig.port), try await RawConnection(port: rig.port))
            busy.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            try await rig.origin.waitForRequests(1)
            async let drained: Void = rig.proxy.drain(within: .seconds(30))
            #expect(try await idle.readToEnd() == "")
            gate.open()
            #expect(try await busy.readToEnd().hasPrefix("HTTP/1.1 200 OK\r\n"))
            await drained
        }
    }

    @Test func `draining ends after its grace, whatever is in flight`() async throws {
        try await ProxyRig.run(.silent) { rig in
            let wire = try await RawConnection(port: rig.port)
            wire.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            try await rig.origin.waitForRequests(1)
            await rig.proxy.drain(within: .zero)
            #expect(try await wire.readToEnd() == "")
        }
    }

    @Test(arguments: [
        ("127.0.0.1", "is in use already. Choose another port"),
        ("192.0.2.1", "192.0.2.1 is no address of this machine"),
        ("no-such-host.invalid", "'no-such-host.invalid' cannot be listened on"),
    ])
    func `an address that cannot be used is a sentence`(host: String, sentence: String) async throws {
        let taken = try await LoopbackServer.start(.silent)
        let error = await #expect(throws: ListenError.self) {
            try await ProxyServer.start(
                host: host, port: taken.port, origin: Origin(scheme: "http", host: "h"),
                pipeline: .relaying(cache: [], transport: AsyncHTTPTransport()))
        }
        #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
        await taken.stop()
    }
}
