import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataTokens

/// Endpoints by hand and from the metadata of a server (RFC 8414, OpenID Connect Discovery 1.0).
struct OAuthServerTests {
    private let transport = ScriptedTransport()
    private let log = LogRecorder()

    private func discover(_ issuer: String = "https://id.test") async -> Result<OAuthServer, NetworkError> {
        await outcome { () throws(NetworkError) in
            try await OAuthServer.discover(
                issuer, transport: transport, resilience: Resilience(), logger: log.logger())
        }
    }

    private static func metadata(_ issuer: String, _ more: String = "") -> ScriptedTransport.Answer {
        .json(#"{"issuer":"\#(issuer)","token_endpoint":"https://tokens.test/t"\#(more)}"#)
    }

    @Test(arguments: ["http://id.example.com/token", "ftp://id.test/", "id.test/token", "https://u:p@id.test/t", ""])
    func `an endpoint whose credentials could be read on the way is refused`(url: String) {
        #expect(throws: OptionsError.self) { try OAuthServer.endpoints(token: url) }
        #expect(throws: OptionsError.self) { try OAuthServer.endpoints(token: "https://id.test/t", authorization: url) }
        #expect(throws: OptionsError.self) { try OAuthServer.endpoints(token: "https://id.test/t", device: url) }
    }

    @Test(arguments: ["http://127.0.0.1:8080/t", "http://localhost/t", "http://[::1]:80/t", "https://id.test/t"])
    func `https and loopback addresses are taken`(url: String) throws {
        #expect(try OAuthServer.endpoints(token: url).token == HTTPURL(url))
    }

    @Test(arguments: [
        ("https://id.test", "https://id.test/.well-known/oauth-authorization-server"),
        ("https://id.test/", "https://id.test/.well-known/oauth-authorization-server"),
        ("https://id.test:8443/realms/a", "https://id.test:8443/.well-known/oauth-authorization-server/realms/a"),
        ("https://id.test/a/", "https://id.test/.well-known/oauth-authorization-server/a"),
    ])
    func `the metadata of RFC 8414 stand below the path of the issuer`(issuer: String, url: String) async throws {
        transport.append(
            Self.metadata(
                issuer,
                #","authorization_endpoint":"https://id.test/auth","device_authorization_endpoint":"https://id.test/d""#
            ))
        let server = try await discover(issuer).get()
        #expect(transport.requests.map(\.url.description) == [url])
        #expect(transport.requests[0].headers["Authorization"] == nil)
        #expect(server.issuer == issuer && server.token.description == "https://tokens.test/t")
        #expect(server.authorization?.description == "https://id.test/auth")
        #expect(server.device?.description == "https://id.test/d")
        #expect(!server.namesIssuer)
    }

    @Test(arguments: [
        ScriptedTransport.Answer.status(404), .status(400), .status(302, headers: ["Location": "https://evil.test/"]),
        .status(200, headers: ["Content-Type": "text/html"], body: "<html>"), .json("{"),
    ])
    func `without them the document of OpenID Connect is read`(first: ScriptedTransport.Answer) async throws {
        transport.append(
            first, Self.metadata("https://id.test/r", #","authorization_response_iss_parameter_supported":true"#))
        let server = try await discover("https://id.test/r").get()
        #expect(
            transport.requests.map(\.url.description) == [
                "https://id.test/.well-known/oauth-authorization-server/r",
                "https://id.test/r/.well-known/openid-configuration",
            ])
        #expect(server.namesIssuer && server.authorization == nil)
    }

    @Test(arguments: [
        ("https://id.test", "https://id.test/"), ("https://id.test/", "https://id.test"),
        ("https://id.test", "https://ID.test"), ("https://id.test/a", "https://id.test/a%2F"),
        ("https://id.test", "https://evil.test"), ("https://id.test", "\\u001b[2Jx"),
    ])
    func `metadata of another issuer are refused`(issuer: String, named: String) async throws {
        transport.append(Self.metadata(named))
        let error = try #require(await discover(issuer).error)
        #expect(error.description.contains("'\(issuer)'") && error.description.contains("must be equal"))
        #expect(!error.description.unicodeScalars.contains { $0.value < 0x20 })
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [
        #"{}"#, "[]", #"{"issuer":7}"#, #"{"issuer":"https://id.test"}"#,
        #"{"issuer":"https://id.test","token_endpoint":"http://tokens.test/t"}"#,
        #"{"issuer":"https://id.test","token_endpoint":"javascript:1"}"#,
        #"{"issuer":"https://id.test","token_endpoint":"https://t.test/","authorization_endpoint":"http://id.test/a"}"#,
    ])
    func `metadata that cannot be used are an error`(body: String) async throws {
        transport.append(.json(body))
        let error = try #require(await discover().error)
        guard case .invalidResponse = error.kind else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func `a server without metadata is told with both places`() async throws {
        transport.append(.status(404), .status(404))
        let error = try #require(await discover().error)
        #expect(error.description.contains("/.well-known/oauth-authorization-server"))
        #expect(error.description.contains("/.well-known/openid-configuration"))
    }

    @Test(arguments: ["https://id.test?x=1", "https://id.test#x", "http://id.example.com", "id.test"])
    func `an issuer that is none is refused without a request`(issuer: String) async throws {
        guard case .invalidRequest? = await discover(issuer).error?.kind else {
            Issue.record("taken: \(issuer)")
            return
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func `metadata of more than a mebibyte are refused`() async throws {
        transport.append(Self.metadata("https://id.test", ",\"x\":\"\(String(repeating: "a", count: 1 << 20))\""))
        #expect(await discover().error?.description.contains("larger than") == true)
    }

    @Test func `an unreachable server is no server without metadata`() async throws {
        let offline = NetworkError.Kind.offline("no route")
        transport.append(.failure(offline), .failure(offline), .failure(offline))
        let once = Resilience(try ResilienceOptions(retry: .never))
        let error = await outcome { () throws(NetworkError) in
            try await OAuthServer.discover("https://id.test", transport: transport, resilience: once)
        }.error
        #expect(error?.isRetryable == true && transport.requests.count == 1)
    }
}
