import FoundationEssentials
import StrataDomain
import StrataHTTP
import StrataTesting
import Testing

@testable import StrataService

@Suite struct OpenIDProviderTests {
    private static let fixture = Result { try ProviderFixture() }

    @Test func `the browser is sent with state, nonce and a PKCE challenge, and not with what they come from`()
        async throws
    {
        let fixture = try Self.fixture.get()
        let (attempt, now) = (fixture.attempt, fixture.now)
        let document = fixture.discovery(["authorization_endpoint": "\"https://id.example/authorize?tenant=7\""])
        let provider = try fixture.provider(accounts: .create, fixture.client(token: "", discovery: document))
        let url = try await provider.authorizationURL(attempt, redirect: ProviderFixture.redirect, at: now)
        #expect(url.hasPrefix("https://id.example/authorize?tenant=7&"))
        let query = try #require(QueryItems(parsing: url.drop { $0 != "?" }.dropFirst()))
        for (name, value) in [
            ("response_type", "code"), ("client_id", "shiftlog"), ("redirect_uri", ProviderFixture.redirect),
            ("scope", "openid profile"), ("state", attempt.state), ("nonce", attempt.nonce),
            ("code_challenge", attempt.challenge), ("code_challenge_method", "S256"),
        ] {
            #expect(query.values(name) == [value])
        }
        #expect(!url.contains(attempt.verifier) && attempt.verifier.utf8.count == 43)
        #expect(Set([attempt.state, attempt.nonce, attempt.verifier, attempt.challenge]).count == 4)
    }

    @Test(arguments: ["https://shiftlog.example", "http://127.0.0.1:8080"])
    func `an attempt is found again by its cookie, in its browser alone`(url: String) throws {
        let attempt = OpenIDAttempt()
        let field = attempt.cookie(seconds: 600, at: url)
        let pair = String(field.prefix { $0 != ";" })
        #expect(field.contains("HttpOnly") && field.contains("SameSite=Lax") && field.contains("Max-Age=600"))
        let isSecure = url.hasPrefix("https")
        #expect(field.hasPrefix("__Host-") == isSecure && field.contains("Secure") == isSecure)
        let found = try #require(OpenIDAttempt(cookies: ["a=b; \(pair)"], at: url))
        #expect(found.owns(state: attempt.state) && found.verifier == attempt.verifier)
        #expect(!OpenIDAttempt().owns(state: attempt.state))
        for cookies in [[], [""], [pair, pair], ["\(pair); \(pair)"], ["\(pair)x"], ["\(pair.prefix(20))"]] {
            #expect(OpenIDAttempt(cookies: cookies, at: url) == nil)
        }
    }

    @Test(
        arguments: [
            (nil, true), (#"["client_secret_post"]"#, false), (#"["client_secret_post","client_secret_basic"]"#, true),
        ] as [(String?, Bool)])
    func `the code is exchanged once, with the secret as the provider takes it`(
        methods: String?, isBasic: Bool
    ) async throws {
        let fixture = try Self.fixture.get()
        let document = fixture.discovery(["token_endpoint_auth_methods_supported": methods])
        let client = try fixture.client(token: fixture.token(), discovery: document)
        let provider = try fixture.provider(client)
        _ = try await provider.identity(
            code: "a&b", of: fixture.attempt, redirect: ProviderFixture.redirect, at: fixture.now)
        let calls = client.calls.filter { $0.request.method == .post }
        let call = try #require(calls.first)
        let body = String(decoding: call.request.body?.bytes ?? Data(), as: UTF8.self)
        let form = try #require(QueryItems(parsing: body))
        #expect(calls.count == 1 && call.options.retry == .never)
        #expect(form.values("grant_type") == ["authorization_code"] && form.values("code") == ["a&b"])
        #expect(form.values("code_verifier") == [fixture.attempt.verifier])
        #expect(form.values("redirect_uri") == [ProviderFixture.redirect])
        let pair = Data("shiftlog:it%27s%20a%20secret".utf8).base64EncodedString()
        #expect(call.request.headers["Authorization"] == (isBasic ? "Basic \(pair)" : nil))
        #expect(form.values("client_secret") == (isBasic ? [] : ["it's a secret"]))
    }

    @Test(
        arguments: [
            (nil, nil, true), (nil, "https://id.example", true), (nil, "https://evil.example", false),
            ("true", nil, false), ("true", "https://id.example", true), ("true", "https://id.example/", false),
        ] as [(String?, String?, Bool)])
    func `the issuer of a response must be that of the provider, and be there where it is promised`(
        promised: String?, issuer: String?, isAccepted: Bool
    ) async throws {
        let fixture = try Self.fixture.get()
        let document = fixture.discovery(["authorization_response_iss_parameter_supported": promised])
        let provider = try fixture.provider(fixture.client(token: "", discovery: document))
        var error: OpenIDError?
        do throws(OpenIDError) {
            try await provider.checkIssuer(issuer, at: fixture.now)
        } catch let caught { error = caught }
        #expect((error == nil) == isAccepted)
    }

    @Test(
        arguments: [
            ["issuer": "\"https://id.example/\""], ["issuer": "\"https://evil.example\""], ["issuer": nil],
            ["token_endpoint": "\"http://id.example/token\""], ["jwks_uri": "\"http://127.0.0.1/keys\""],
            ["authorization_endpoint": "\"javascript:alert(1)\""], ["token_endpoint": "\"https://u:p@id.example/t\""],
            ["authorization_endpoint": "\"https://id.example/a#b\""], ["jwks_uri": nil], ["token_endpoint": "7"],
            ["token_endpoint_auth_methods_supported": #"["private_key_jwt"]"#],
        ] as [[String: String?]])
    func `a discovery document that cannot be trusted is not used`(changes: [String: String?]) async throws {
        let fixture = try Self.fixture.get()
        let client = try fixture.client(token: fixture.token(), discovery: fixture.discovery(changes))
        try await expectUnavailable(client)
        #expect(client.calls.count == 1)
    }

    @Test(
        arguments: [
            (301, "", "/.well-known/openid-configuration"), (500, "{}", "/.well-known/openid-configuration"),
            (200, "<!doctype html>", "/.well-known/openid-configuration"),
            (200, "", "/.well-known/openid-configuration"),
            (200, "<!doctype html>", "/keys"), (500, "", "/keys"), (302, "", "/keys"), (200, "[]", "/keys"),
            (500, "", "/token"),
        ])
    func `a provider that fails, redirects or sends HTML is not available`(
        status: Int, body: String, path: String
    ) async throws {
        let fixture = try Self.fixture.get()
        let client = try fixture.client(token: fixture.token()) { asked in
            asked == path
                ? ProviderFixture.response(status, body, headers: ["Location": "https://evil.example/"]) : nil
        }
        try await expectUnavailable(client)
        #expect(!client.calls.contains { $0.request.url.contains("evil") })
    }

    @Test func `a document of more than 256 KiB is not read`() async throws {
        let fixture = try Self.fixture.get()
        let large = fixture.discovery(["x": "\"\(String(repeating: "x", count: 262_144))\""])
        try await expectUnavailable(fixture.client(token: fixture.token(), discovery: large))
    }

    @Test(arguments: [(400, #"{"error":"invalid_grant"}"#), (200, "{}"), (200, "<html>"), (302, "")])
    func `a code that the token endpoint does not exchange is refused`(status: Int, body: String) async throws {
        let fixture = try Self.fixture.get()
        let client = try fixture.client(token: "") { $0 == "/token" ? ProviderFixture.response(status, body) : nil }
        let provider = try fixture.provider(client)
        let error = await #expect(throws: OpenIDError.self) {
            try await provider.identity(
                code: "c", of: fixture.attempt, redirect: ProviderFixture.redirect, at: fixture.now)
        }
        guard case .refused = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `documents are fetched once an hour, and keys again for an unknown one, once a minute`() async throws {
        let fixture = try Self.fixture.get()
        let client = try fixture.client(token: fixture.token(header: ["kid": "\"new\""]))
        let provider = try fixture.provider(client)
        func signIn(after seconds: Double) async {
            _ = try? await provider.identity(
                code: "c", of: fixture.attempt, redirect: ProviderFixture.redirect,
                at: fixture.now.addingTimeInterval(seconds))
        }
        func fetches(_ path: String) -> Int { client.calls.count { $0.request.url.hasSuffix(path) } }
        for seconds in [0.0, 1, 59] { await signIn(after: seconds) }
        #expect(fetches("/keys") == 1)
        for seconds in [60.0, 61, 119] { await signIn(after: seconds) }
        #expect(fetches("/keys") == 2 && fetches("openid-configuration") == 1)
        await signIn(after: 3601)
        #expect(fetches("openid-configuration") == 2)
    }

    @Test(
        arguments: [
            "http://id.example", "https://id.example?x=1", "https://id.example#x", "https://u@id.example", "id.example",
            "https://", "https://id.example/ x", "",
        ])
    func `an issuer that is no https URL is refused`(issuer: String) {
        #expect(throws: OpenIDOptionsError.issuer) { try OpenIDOptions(issuer: issuer, clientId: "shiftlog") }
    }

    private func expectUnavailable(
        _ client: ScriptedRawClient, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let fixture = try Self.fixture.get()
        let provider = try fixture.provider(client)
        let error = await #expect(throws: OpenIDError.self, sourceLocation: location) {
            try await provider.identity(
                code: "c", of: fixture.attempt, redirect: ProviderFixture.redirect, at: fixture.now)
        }
        guard case .unavailable = error else {
            Issue.record("\(String(describing: error))", sourceLocation: location)
            return
        }
    }
}
