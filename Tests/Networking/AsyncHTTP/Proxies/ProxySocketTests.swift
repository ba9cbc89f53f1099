import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Requests through a proxy on the loopback interface, to servers of names that no resolver knows.
@Suite(.timeLimit(.minutes(1))) struct ProxySocketTests {
    private static let credentials = "Basic YW5uOmh1bnRlcjI="

    private func client(_ transport: AsyncHTTPTransport, _ base: String, retry: RetryPolicy = .never) throws
        -> HTTPAPIClient
    {
        try HTTPAPIClient(
            baseURL: HTTPURL(base), transport: transport, resilience: Resilience(ResilienceOptions(retry: retry)))
    }

    private func proxy(_ port: Int, hasUser: Bool = true) throws -> ProxySelection {
        try .http(
            host: "127.0.0.1", port: port, user: hasUser ? "ann" : nil, password: Secret(hasUser ? "hunter2" : ""))
    }

    /// A port without a listener.
    private func closedPort() async throws -> Int {
        let server = try await LoopbackServer.start(.silent)
        await server.stop()
        return server.port
    }

    // MARK: - https

    /// A server of `tides.example` behind a proxy.
    private func tunnel(
        _ script: LoopbackServer.Script, _ body: (HTTPAPIClient, LoopbackServer, LoopbackProxy) async throws -> Void
    ) async throws {
        let authority = try TestCertificate.authority("Tide authority")
        let server = try await LoopbackServer.start(
            script, identity: authority.issue(host: "tides.example").identity())
        let proxy = try await LoopbackProxy.start(to: server.port)
        let transport = AsyncHTTPTransport(
            try AsyncHTTPOptions(
                authorities: CertificateAuthorities(pem: authority.pem.utf8), proxy: self.proxy(proxy.port)))
        do { try await body(client(transport, "https://tides.example"), server, proxy) } catch { Issue.record(error) }
        await transport.shutdown()
        await proxy.stop()
        await server.stop()
    }

    @Test func `an https server is reached through a tunnel, which alone gets the proxy's password`() async throws {
        try await tunnel(.always(.json(tideJSON))) { client, server, proxy in
            _ = try await client.raw(.get, "/a?b=1")
            _ = try await client.raw(.put, "/c", body: .bytes(Data("tide".utf8)))
            #expect(proxy.heads.count == 1)
            let head = proxy.heads.first ?? ""
            #expect(head.hasPrefix("CONNECT tides.example:443 HTTP/1.1\r\n"))
            #expect(head.lowercased().contains("proxy-authorization: \(Self.credentials.lowercased())"))
            #expect(server.requests.map(\.target) == ["/a?b=1", "/c"])
            #expect(server.requests.map(\.body) == ["", "tide"])
            #expect(server.requests.allSatisfy { $0.values("Proxy-Authorization").isEmpty })
            #expect(server.requests.allSatisfy { $0.values("Host") == ["tides.example"] })
        }
    }

    @Test func `the head of a response is checked in a tunnel too`() async throws {
        let odd = LoopbackServer.Step.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n")
        try await tunnel(.always(odd)) { client, _, _ in
            let error = await #expect(throws: NetworkError.self) { _ = try await client.raw(.get, "/") }
            #expect(error?.description.contains("transfer coding 'gzip' is not understood") == true)
        }
    }

    @Test func `interim responses arrive through a tunnel`() async throws {
        let early = LoopbackServer.Step.send("HTTP/1.1 103 Hints\r\nLink: a\r\n\r\n")
        try await tunnel(.always(early, .json(tideJSON))) { client, _, _ in
            let seen = Shared<[Int]>([])
            let context = CallContext(
                requestId: "r", summary: "GET /",
                deadline: Deadline(in: .seconds(1), on: MonotonicTime(ManualClock())),
                interim: { head in seen.change { $0.append(head.status) } })
            let request = try ClientRequest(.get, HTTPURL("https://tides.example/"), context: context)
            try await client.pipeline.send(request) { response in
                #expect(response.head.status == 200)
                _ = try await response.body.collect(upTo: 1000)
            }
            #expect(seen.value == [103])
        }
    }

    // MARK: - http

    @Test func `an http request is handed to the proxy with its whole URL`() async throws {
        try await LoopbackServer.run(.always(.json(tideJSON))) { proxy in
            let variables = ["http_proxy": "http://ann:hunter2@127.0.0.1:\(proxy.port)"]
            let transport = AsyncHTTPTransport(try AsyncHTTPOptions(proxy: .environment(variables)))
            let client = try client(transport, "http://tides.example")
            _ = try await client.raw(.get, "/a?b=1")
            _ = try await client.raw(.put, "/c", body: .bytes(Data("tide".utf8)))
            _ = try await client.raw(.get, "http://other.example:8080/d")
            await transport.shutdown()
            #expect(
                proxy.requests.map(\.target) == [
                    "http://tides.example/a?b=1", "http://tides.example/c", "http://other.example:8080/d",
                ])
            #expect(
                proxy.requests.map { $0.values("Host") } == [
                    ["tides.example"], ["tides.example"], ["other.example:8080"],
                ])
            #expect(proxy.requests.allSatisfy { $0.values("Proxy-Authorization") == [Self.credentials] })
            #expect(proxy.requests.map(\.body) == ["", "tide", ""])
            // One connection to the proxy serves all of them.
            #expect(proxy.connections == 1)
        }
    }

    @Test func `what a proxy repeats of its password is masked`() async throws {
        let echo = LoopbackServer.Step.json(#"{"detail":"no ann:hunter2, no hunter2"}"#, status: "403 Forbidden")
        try await LoopbackServer.run(.always(echo)) { proxy in
            let transport = AsyncHTTPTransport(try AsyncHTTPOptions(proxy: self.proxy(proxy.port)))
            let client = try client(transport, "http://tides.example")
            let error = await #expect(throws: NetworkError.self) { _ = try await client.send(ShowTide()) }
            await transport.shutdown()
            #expect(error?.problem?.detail == "no <redacted>, no <redacted>")
        }
    }

    @Test func `servers on this machine are reached without the proxy of the environment`() async throws {
        let closed = try await closedPort()
        try await LoopbackServer.run(.always(.json(tideJSON))) { server in
            let transport = AsyncHTTPTransport(
                try AsyncHTTPOptions(proxy: .environment(["ALL_PROXY": "http://127.0.0.1:\(closed)"])))
            let client = try client(transport, server.url)
            #expect(try await client.raw(.get, "/a").head.status == 200)
            let error = await #expect(throws: NetworkError.self) {
                _ = try await client.raw(.get, "http://tides.example/")
            }
            #expect(error?.description.contains("the proxy http://127.0.0.1:\(closed)") == true)
            // Both clients of the transport end.
            #expect(try await client.raw(.get, "/b").head.status == 200)
            await transport.shutdown()
            #expect(server.requests.map(\.target) == ["/a", "/b"])
        }
    }

    // MARK: - Refusals

    @Test(arguments: ["http", "https"], [true, false])
    func `a proxy that wants another user is an error that is not retried`(scheme: String, hasUser: Bool) async throws {
        let refusal = LoopbackServer.Step.response(
            "407 Proxy Authentication Required", "hunter2", fields: ["Proxy-Authenticate: Basic"])
        try await LoopbackServer.run(.always(refusal)) { proxy in
            let transport = AsyncHTTPTransport(
                try AsyncHTTPOptions(proxy: self.proxy(proxy.port, hasUser: hasUser)))
            let retry = try RetryPolicy(attempts: 3, baseDelay: .zero)
            let client = try client(transport, "\(scheme)://tides.example", retry: retry)
            let error = await #expect(throws: NetworkError.self) { _ = try await client.send(ShowTide()) }
            await transport.shutdown()
            let text = error?.description ?? ""
            #expect(text.contains("the proxy http://127.0.0.1:\(proxy.port)") && text.contains("(407)"), "\(text)")
            #expect(text.contains(hasUser ? "does not accept" : "asks for a user and a password"), "\(text)")
            #expect(!text.contains("hunter2"))
            #expect(error?.isUnsent == true && error?.isRetryable == false)
            #expect(proxy.requests.count == 1)
        }
    }

    @Test func `a proxy that refuses a tunnel is named, and nothing was sent`() async throws {
        try await LoopbackServer.run(.always(.response("403 Forbidden"))) { proxy in
            let transport = AsyncHTTPTransport(try AsyncHTTPOptions(proxy: self.proxy(proxy.port)))
            let client = try client(transport, "https://tides.example")
            let error = await #expect(throws: NetworkError.self) { _ = try await client.send(AddTide()) }
            await transport.shutdown()
            #expect(
                error?.kind
                    == .offline("the proxy http://127.0.0.1:\(proxy.port) refused to connect to the server"))
        }
    }

    @Test(arguments: ["http", "https"])
    func `a proxy that is not there is named, and nothing was sent`(scheme: String) async throws {
        let closed = try await closedPort()
        let transport = AsyncHTTPTransport(try AsyncHTTPOptions(proxy: proxy(closed)))
        let client = try client(transport, "\(scheme)://tides.example")
        let error = await #expect(throws: NetworkError.self) { _ = try await client.send(AddTide()) }
        await transport.shutdown()
        #expect(error?.isUnsent == true)
        #expect(
            error?.description.contains("no connection: with the proxy http://127.0.0.1:\(closed): ") == true
                && error?.description.contains("connection refused") == true, "\(String(describing: error))")
    }
}
