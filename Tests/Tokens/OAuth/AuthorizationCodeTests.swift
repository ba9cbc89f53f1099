import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataTokens

/// A login by a browser, from the URL to the renewed session.
struct AuthorizationCodeTests {
    private struct BrowserMissing: Error {}

    private let bench = OAuthBench()
    private let store = MemoryTokenStore()
    private let opened = Shared<[HTTPURL]>([])
    /// 32 bytes of 7 in base64url: state and verifier of the bench.
    private let random = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"

    private func login(
        _ oauth: OAuth, scope: String? = "read", parameters: [String: String] = [:]
    ) -> Task<RefreshingTokenProvider, any Error> {
        Task { [opened, store] in
            try await oauth.authorizationCode(scope: scope, store: store, parameters: parameters) { url in
                let url = try HTTPURL(url)
                opened.change { $0.append(url) }
            }
        }
    }

    /// Waits for the URL of the login, and brings `query` to its redirect URI.
    private func browse(_ query: String, status: String = "200 OK") async throws {
        try await eventually("the browser is opened") { opened.value.count == 1 }
        let request = "GET /callback?\(query) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        #expect(try await RawConnection.exchange(request, port: port()).hasPrefix("HTTP/1.1 \(status)"))
    }

    private func items() throws -> QueryItems {
        try #require(opened.value.first?.query.flatMap { QueryItems(parsing: $0) })
    }

    private func port() throws -> Int {
        try HTTPURL(#require(items().values("redirect_uri").first)).origin.port
    }

    @Test func `the user logs in, the code is traded, and the session is stored and renewed`() async throws {
        bench.answer(token: "a1", refresh: "r1")
        bench.answer(token: "a2", refresh: "r2")
        let login = login(try bench.oauth(), parameters: ["prompt": "login"])
        try await browse("code=c%2F1&state=\(random)")
        let tokens = try await login.value

        let url = try #require(opened.value.first)
        #expect(url.origin.description == "https://id.test" && url.path == "/authorize")
        #expect(url.query?.hasPrefix("tenant=a%20b&client_id=app&response_type=code&redirect_uri=") == true)
        #expect(try items().values("prompt") == ["login"] && items().values("scope") == ["read"])
        #expect(try items().values("state") == [random] && items().values("code_challenge_method") == ["S256"])
        #expect(
            try bench.forms == [
                "grant_type=authorization_code&code=c%2F1&redirect_uri=http%3A%2F%2F127.0.0.1%3A\(port())%2Fcallback"
                    + "&code_verifier=\(random)&client_id=app"
            ])
        #expect(bench.transport.requests[0].url.description == "https://id.test/oauth/token")
        #expect(bench.transport.requests[0].headers["Authorization"] == nil)
        #expect(try await store.read()?.refresh == Secret("r1"))
        #expect(try await tokens.currentToken() == Secret("a1"))

        bench.clock.advance(by: .seconds(890))
        #expect(try await tokens.currentToken() == Secret("a2"))
        #expect(bench.forms.last == "grant_type=refresh_token&refresh_token=r1&client_id=app")
        #expect(try await store.read()?.refresh == Secret("r2"))
    }

    @Test(arguments: [true, false])
    func `a client with a secret proves itself at the token endpoint only`(isBasic: Bool) async throws {
        bench.answer(token: "a1", refresh: "r1")
        let secret = Secret("CANARY s&1")
        let login = login(
            try bench.oauth(isBasic ? .basic(id: "app", secret: secret) : .body(id: "app", secret: secret)))
        try await browse("code=c1&state=\(random)")
        _ = try await login.value
        let request = bench.transport.requests[0]
        let basic = "Basic " + Data("app:CANARY%20s%261".utf8).base64EncodedString()
        #expect(request.headers["Authorization"] == (isBasic ? basic : nil))
        #expect(bench.forms[0].hasSuffix("&client_id=app&client_secret=CANARY+s%261") != isBasic)
        #expect(opened.value.first?.description.contains("CANARY") == false)
    }

    @Test func `a session of the store is used without a browser`() async throws {
        try await store.write(.number(1))
        let tokens = try await login(try bench.oauth()).value
        #expect(try await tokens.currentToken() == Secret("access-1"))
        #expect(opened.value.isEmpty && bench.transport.requests.isEmpty)
    }

    @Test func `an expired session that nothing can renew is replaced by a login`() async throws {
        try await store.write(SessionTokens(access: Secret("old"), expiresAt: SessionTokens.noon - 1, issuedAt: nil))
        bench.answer(token: "a1")
        let login = login(try bench.oauth())
        try await browse("code=c1&state=\(random)")
        #expect(try await login.value.currentToken() == Secret("a1"))
    }

    @Test(arguments: ["code=c1&state=wrong", "code=c1", "error=access_denied&state=wrong"])
    func `the answer of another login is not heard, and the login goes on`(query: String) async throws {
        bench.answer(token: "a1")
        let login = login(try bench.oauth())
        try await browse(query, status: "404 Not Found")
        #expect(bench.transport.requests.isEmpty)
        #expect(try await store.read() == nil)
        try await browse("code=c1&state=\(random)")
        #expect(try await login.value.currentToken() == Secret("a1"))
    }

    @Test func `a refused login is an error with a sentence`() async throws {
        let login = login(try bench.oauth())
        try await browse("error=access_denied&state=\(random)")
        let error = await #expect(throws: NetworkError.self) { try await login.value }
        guard case .forbidden? = error?.kind else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("refused in the browser") == true)
    }

    @Test func `an answer that names another server trades no code`() async throws {
        let server = try OAuthServer.endpoints(
            token: "https://id.test/t", authorization: "https://id.test/a", issuer: "https://id.test")
        let login = login(try bench.oauth(server: server))
        try await browse("code=c1&state=\(random)&iss=https%3A%2F%2Fevil.test")
        let error = await #expect(throws: NetworkError.self) { try await login.value }
        #expect(error?.description.contains("'https://evil.test'") == true && bench.transport.requests.isEmpty)
    }

    @Test func `a code that the server refuses says to begin again, and shows no secret`() async throws {
        for body in [
            #"{"error":"invalid_grant"}"#,
            #"{"error":"invalid_grant","error_description":"CANARY-code \#(random)"}"#,
        ] {
            opened.change { $0 = [] }
            bench.answer(body, status: 400)
            let login = login(try bench.oauth())
            try await browse("code=CANARY-code&state=\(random)")
            let error = try #require(await #expect(throws: NetworkError.self) { try await login.value })
            #expect(error.problem?.error == "invalid_grant")
            #expect(error.description.contains("begin the login again"))
            #expect(!error.everything.contains("CANARY") && !error.everything.contains(random))
            #expect(try await store.read() == nil)
        }
        #expect(!bench.log.lines.contains { $0.contains("CANARY") || $0.contains(random) })
    }

    @Test(arguments: [307, 302])
    func `a redirect of the token endpoint carries the code to no other origin`(status: Int) async throws {
        bench.transport.append(.status(status, headers: ["Location": "https://evil.test/t"]))
        let login = login(try bench.oauth())
        try await browse("code=c1&state=\(random)")
        await #expect(throws: NetworkError.self) { try await login.value }
        #expect(bench.transport.requests.map(\.url.origin.host) == ["id.test"])
    }

    @Test func `an error of the closure comes back as itself, and the port is closed`() async throws {
        let oauth = try bench.oauth()
        await #expect(throws: BrowserMissing.self) {
            try await oauth.authorizationCode { [opened] url in
                let url = try HTTPURL(url)
                opened.change { $0.append(url) }
                throw BrowserMissing()
            }
        }
        await #expect(throws: RawConnection.Refused.self) { try await RawConnection(port: try port()) }
    }

    @Test func `a cancelled login ends at once and closes its port`() async throws {
        let login = login(try bench.oauth())
        try await eventually("the browser is opened") { opened.value.count == 1 }
        login.cancel()
        let error = await #expect(throws: NetworkError.self) { try await login.value }
        #expect(error?.kind == .cancelled)
        await #expect(throws: RawConnection.Refused.self) { try await RawConnection(port: try port()) }
    }

    @Test func `a login without an answer ends at its limit`() async throws {
        let timer = ManualClock()
        let login = login(try bench.oauth(timer: timer))
        await timer.waitForSleeper(dueIn: .seconds(300))
        timer.advance(by: .seconds(300))
        let error = await #expect(throws: NetworkError.self) { try await login.value }
        #expect(error?.kind == .timeout)
    }

    @Test func `a server without an authorization endpoint, and an impossible port, are refused at once`() async throws
    {
        let server = try OAuthServer.endpoints(token: "https://id.test/t")
        let error = await #expect(throws: NetworkError.self) { try await login(try bench.oauth(server: server)).value }
        #expect(error?.description.contains("'authorization:'") == true)
        for port in [-1, 65_536] {
            let oauth = try bench.oauth()
            await #expect(throws: NetworkError.self) { try await oauth.authorizationCode(port: port) { _ in } }
        }
        #expect(opened.value.isEmpty)
    }

    @Test func `a store without space gets no code traded`() async throws {
        let full = FullStore()
        let oauth = try bench.oauth()
        let login = Task { [opened] in
            try await oauth.authorizationCode(store: full) { url in
                let url = try HTTPURL(url)
                opened.change { $0.append(url) }
            }
        }
        try await browse("code=c1&state=\(random)")
        let error = await #expect(throws: NetworkError.self) { try await login.value }
        #expect(error?.isStorage == true && bench.transport.requests.isEmpty)
    }
}

/// A store on a full disk.
private struct FullStore: TokenStore {
    var place: String { "full disk" }
    func read() async throws(TokenStoreError) -> SessionTokens? { nil }
    func reserve() async throws(TokenStoreError) { throw TokenStoreError("The disk is full.") }
    func write(_ tokens: SessionTokens) async throws(TokenStoreError) { throw TokenStoreError("The disk is full.") }
    func clear() async throws(TokenStoreError) {}
    func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await body()
    }
}
