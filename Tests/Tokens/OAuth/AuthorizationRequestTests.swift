import StrataDomain
import StrataNetworking
import Testing

@testable import StrataTokens

/// One login by a browser as values: its URL, and what may come back.
struct AuthorizationRequestTests {
    private static let redirect = "http://127.0.0.1:4711/callback"
    /// The octets of RFC 7636, appendix B.
    private static let octets: [UInt8] = [
        116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191, 240,
        91, 88, 5, 88, 83, 132, 141, 121,
    ]

    private let login = AuthorizationRequest(redirect: Self.redirect) { Array(Self.octets.prefix($0)) }
    private let state = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    private func server(_ issuer: String? = nil, namesIssuer: Bool = false) throws -> OAuthServer {
        try OAuthServer(
            token: "https://id.test/t", authorization: "https://id.test/a", device: nil, issuer: issuer,
            namesIssuer: namesIssuer)
    }

    private func code(_ query: String, _ server: OAuthServer? = nil) async throws -> Result<Secret, NetworkError> {
        let server = try server ?? self.server()
        return await outcome { () throws(NetworkError) in try login.code(in: query, from: server) }
    }

    @Test func `the challenge is that of RFC 7636, appendix B`() throws {
        #expect(login.verifier == Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        let url = try login.url(
            at: HTTPURL("https://id.test/a"), client: "my app", scope: "read write", parameters: ["prompt": "login&x"])
        #expect(
            url == "https://id.test/a?client_id=my%20app&response_type=code"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fcallback&state=\(state)"
                + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
                + "&scope=read%20write&prompt=login%26x")
    }

    @Test func `state and verifier are random, of 32 bytes each`() {
        var made: Set<String> = []
        for _ in 0..<50 {
            let login = AuthorizationRequest(redirect: Self.redirect, random: systemRandomBytes)
            #expect(login.state.utf8.count == 43 && login.verifier.reveal().utf8.count == 43)
            made.formUnion([login.state, login.verifier.reveal()])
        }
        #expect(made.count == 100)
    }

    @Test(arguments: ["https://id.test/a?tenant=a%2Bb", "https://id.test/a?", "https://id.test/a"])
    func `a query of the endpoint is kept`(endpoint: String) throws {
        let url = try login.url(at: HTTPURL(endpoint), client: "app", scope: nil, parameters: [:])
        let joint = endpoint.contains("=") ? "&" : endpoint.contains("?") ? "" : "?"
        #expect(url.hasPrefix("\(endpoint)\(joint)client_id=app&response_type=code&"))
    }

    @Test(arguments: ["state", "redirect_uri", "code_challenge", "client_id", "response_type", "code_challenge_method"])
    func `a parameter of the grant cannot be replaced`(name: String) throws {
        let endpoint = try HTTPURL("https://id.test/a")
        #expect(throws: NetworkError.self) {
            try login.url(at: endpoint, client: "app", scope: nil, parameters: [name: "x"])
        }
    }

    @Test func `the code of this login is taken`() async throws {
        #expect(try await code("code=a%2Fb&state=\(state)&session_state=1").get() == Secret("a/b"))
    }

    @Test(arguments: [
        "code=CANARY&state=other", "code=CANARY", "", "code=CANARY&state=", "state=STATE&code=", "state=STATE",
        "code=CANARY&state=STATE&state=STATE", "code=CANARY&code=CANARY&state=STATE", "code=CANARY&state=STATEx",
        "code=%FF&state=STATE", "code=%zz&state=STATE", "error=access_denied&state=other",
    ])
    func `the answer of another login, or a damaged one, is refused`(query: String) async throws {
        let error = try #require(try await code(query.replacing("STATE", with: state)).error)
        guard case .invalidResponse(let text) = error.kind else {
            Issue.record("\(error)")
            return
        }
        #expect(text.contains("begin the login again") && !text.contains("CANARY") && !text.contains(state))
    }

    @Test func `a refused login is forbidden, with the words of the server`() async throws {
        let error = try await code("error=access_denied&error_description=not+today%1B%5B2J&state=\(state)").error
        guard case .forbidden(let problem)? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problem?.error == "access_denied")
        #expect(error?.description.contains("the login was refused in the browser: not today?[2J") == true)
    }

    @Test func `each other refusal has its meaning`() async throws {
        for code in ["invalid_scope", "invalid_request", "unauthorized_client", "unsupported_response_type", "own"] {
            guard case .invalidRequest(let text)? = try await self.code("error=\(code)&state=\(state)").error?.kind
            else {
                Issue.record("\(code)")
                continue
            }
            #expect(text.contains(code))
        }
        for code in ["server_error", "temporarily_unavailable"] {
            #expect(try await self.code("error=\(code)&state=\(state)").error?.isRetryable == true)
        }
    }

    @Test func `the issuer of the answer is compared where the server is known`() async throws {
        let (good, evil) = ("&iss=https%3A%2F%2Fid.test", "&iss=https%3A%2F%2Fevil.test")
        let known = try server("https://id.test")
        let strict = try server("https://id.test", namesIssuer: true)
        let answer = "code=c&state=\(state)"
        #expect(try await code(answer + evil).value != nil, "the issuer is not known")
        for server in [known, strict] {
            #expect(try await code(answer + good, server).value != nil)
            #expect(try await code(answer + evil, server).error?.description.contains("'https://evil.test'") == true)
            #expect(try await code("error=access_denied&state=\(state)" + evil, server).error?.problem == nil)
            #expect(try await code(answer + good + "%2F", server).error != nil, "a slash more")
        }
        #expect(try await code(answer, known).value != nil)
        #expect(try await code(answer, strict).error?.description.contains("does not name") == true)
    }

    @Test func `an error without the issuer that the server promises is shown, and not taken for the server's`()
        async throws
    {
        let strict = try server("https://id.test", namesIssuer: true)
        let error = try #require(
            try await code("error=access_denied&error_description=not%1B+today&state=\(state)", strict).error)
        #expect(error.description.contains("the login failed with access_denied: not? today; "))
        #expect(error.description.contains("does not name its server 'https://id.test'"))
        guard case .invalidResponse = error.kind else {
            Issue.record("\(error.kind)")
            return
        }
        #expect(error.problem == nil && !error.isRetryable)
        let busy = try await code("error=temporarily_unavailable&state=\(state)", strict).error
        #expect(busy?.isRetryable == false && busy?.description.contains("temporarily_unavailable") == true)
    }
}
