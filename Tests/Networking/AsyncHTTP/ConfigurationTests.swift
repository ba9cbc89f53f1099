import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataAsyncHTTP

/// A configuration of AsyncHTTPClient that the user adjusts, against real sockets.
@Suite(.timeLimit(.minutes(1))) struct ConfigurationTests {
    private func run(
        _ script: LoopbackServer.Script,
        _ body: (HTTPAPIClient, LoopbackServer, AsyncHTTPTransport) async throws -> Void
    ) async throws {
        let server = try await LoopbackServer.start(script)
        let transport = AsyncHTTPTransport { configuration in
            // Follows redirects, inflates, speaks HTTP/2.
            configuration = .singletonConfiguration
            configuration.dnsOverride = ["tides.example": "127.0.0.1"]
        }
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.example:\(server.port)"), transport: transport,
            resilience: Resilience(ResilienceOptions(retry: .never)), options: ClientOptions(redirects: 0))
        do { try await body(client, server, transport) } catch { Issue.record(error) }
        await transport.shutdown()
        await server.stop()
    }

    @Test func `an adjustment holds, and redirects are still not followed`() async throws {
        try await run(.always(.response("302 Found", fields: ["Location: /b"]))) { client, server, _ in
            let status = try await client.raw(.get, "/a").head.status
            #expect(status == 302)
            #expect(server.requests.map(\.target) == ["/a"])
        }
    }

    @Test func `a body is still not inflated`() async throws {
        let coded = LoopbackServer.Step.response("200 OK", "coded", fields: ["Content-Encoding: gzip"])
        try await run(.always(coded)) { client, _, transport in
            let context = CallContext(
                requestId: "r", summary: "GET /",
                deadline: Deadline(in: .seconds(1), on: MonotonicTime(ManualClock())))
            let request = ClientRequest(.get, client.baseURL, context: context)
            let body = Shared<Data>(Data())
            try await transport.send(request) { response in
                let bytes = try await response.body.collect(upTo: 100)
                body.change { $0 = bytes }
            }
            #expect(body.value == Data("coded".utf8))
        }
    }

    @Test func `the check of heads cannot be taken out`() async throws {
        let odd = LoopbackServer.Step.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n")
        try await run(.always(odd)) { client, _, _ in
            let error = await #expect(throws: NetworkError.self) { _ = try await client.raw(.get, "/") }
            #expect(error?.description.contains("transfer coding 'gzip'") == true)
        }
    }

    @Test func `a proxy of the adjustment stands in place of that of the options`() async throws {
        try await LoopbackServer.run(.always(.json(tideJSON))) { server in
            let proxy = try await LoopbackProxy.start(to: server.port)
            let transport = AsyncHTTPTransport(try AsyncHTTPOptions(proxy: .http(host: "127.0.0.1", port: 1))) {
                $0.proxy = .server(host: "127.0.0.1", port: proxy.port)
            }
            let client = try HTTPAPIClient(
                baseURL: HTTPURL("http://tides.example"), transport: transport, resilience: Resilience())
            #expect(try await client.raw(.get, "/a").head.status == 200)
            await transport.shutdown()
            await proxy.stop()
            #expect(proxy.heads.map { $0.prefix { $0 != "\r\n" } } == ["CONNECT tides.example:80 HTTP/1.1"])
            #expect(server.requests.map(\.target) == ["/a"])
        }
    }

    @Test func `options and limits are those of the transport`() throws {
        let options = try AsyncHTTPOptions(connectTimeout: .milliseconds(1500), connectionsPerOrigin: 3)
        let plain = HTTPClient.Configuration(options)
        #expect(plain.timeout.connect == .milliseconds(1500))
        #expect(plain.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit == 3)
        #expect(plain.proxy == nil)
        let adjusted = HTTPClient.Configuration(options) {
            $0.connectionPool.retryConnectionEstablishment = true
            $0.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 5
            $0.tlsConfiguration = nil
        }
        #expect(!adjusted.connectionPool.retryConnectionEstablishment)
        #expect(adjusted.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit == 5)
        #expect(adjusted.tlsConfiguration != nil)
        #expect(adjusted.tracing.tracer == nil)
    }
}
