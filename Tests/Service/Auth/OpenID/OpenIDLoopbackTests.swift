import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataService

/// The provider behind a real socket, asked by the client of the server program.
@Suite struct OpenIDLoopbackTests {
    private let attempt = OpenIDAttempt()

    private func url(_ server: LoopbackServer, limit: Duration = .seconds(10)) async throws(OpenIDError) -> String {
        let provider: OpenIDProvider
        do {
            provider = OpenIDProvider(
                try OpenIDOptions(issuer: server.url, clientId: "shiftlog"),
                client: try HTTPAPIClient.outgoing(allowsPrivateAddresses: true, resilience: Resilience()),
                limit: limit)
        } catch { throw .refused("\(error)") }
        return try await provider.authorizationURL(attempt, redirect: "http://127.0.0.1/callback", at: .noon)
    }

    private func document(_ url: String) -> String {
        """
        {"issuer":"\(url)","authorization_endpoint":"\(url)/a","token_endpoint":"\(url)/t","jwks_uri":"\(url)/k"}
        """
    }

    @Test func `a provider on this machine may speak http`() async throws {
        let script = LoopbackServer.Script { request in
            let host = request.values("Host").first ?? ""
            return [.json(document("http://\(host)"))]
        }
        try await LoopbackServer.run(script) { server in
            let address = try await url(server)
            #expect(address.hasPrefix("\(server.url)/a?"))
            #expect(server.requests.map { String($0.target) } == ["/.well-known/openid-configuration"])
        }
    }

    @Test(
        arguments: [
            [.response("302 Found", fields: ["Location: /other"])], [.response("500 Internal Server Error")],
            [.response("200 OK", "<!doctype html><h1>Hello", fields: ["Content-Type: text/html"])],
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"), .close],
            [.close], [.send("hello\r\n\r\n"), .close],
            [.send("HTTP/1.1 200 OK\r\n\r\n"), .sendForever(String(repeating: " ", count: 65_536))],
        ] as [[LoopbackServer.Step]])
    func `a provider that fails is not available, and is asked once`(steps: [LoopbackServer.Step]) async throws {
        try await LoopbackServer.run(LoopbackServer.Script { _ in steps }) { server in
            try await expectUnavailable(server)
            #expect(server.requests.count <= 1)
        }
    }

    @Test func `a provider that does not answer ends the sign-in when its time is over`() async throws {
        try await LoopbackServer.run(.silent) { server in
            try await expectUnavailable(server, limit: .milliseconds(200))
        }
    }

    @Test func `a provider that is down is not available`() async throws {
        let server = try await LoopbackServer.start(.silent)
        await server.stop()
        try await expectUnavailable(server)
    }

    private func expectUnavailable(_ server: LoopbackServer, limit: Duration = .seconds(10)) async throws {
        let error = await #expect(throws: OpenIDError.self) { try await url(server, limit: limit) }
        guard case .unavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
