import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataTokens

/// Requests and responses of RFC 6749, with the real client.
struct OAuthTokenRefresherTests {
    let transport = ScriptedTransport()
    let clock = ManualWallClock(SessionTokens.noon)
    let log = LogRecorder()

    private func refresher(
        as identity: OAuthClient = .public(id: "strata"), scope: String? = nil, life: Duration = .seconds(3600)
    ) throws -> OAuthTokenRefresher {
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("https://id.test"), transport: transport,
            resilience: Resilience(ResilienceOptions(retry: .never)), logger: log.logger())
        return OAuthTokenRefresher(
            client: client, path: "/oauth/token", as: identity, scope: scope, defaultLife: life,
            clock: ServerClock(clock))
    }

    private func answer(_ body: String, status: Int = 200) { transport.append(.json(body, status: status)) }

    private func failure(of refresher: OAuthTokenRefresher) async -> NetworkError? {
        await outcome { () throws(NetworkError) in try await refresher.refresh(Secret("old")) }.error
    }

    @Test func `a public client sends its id in the form`() async throws {
        answer(#"{"access_token":"a2","token_type":"Bearer","expires_in":900,"refresh_token":"r2"}"#)
        let tokens = try await refresher(as: .public(id: "my app"), scope: "read write").refresh(Secret("r&1=é +~"))
        let request = transport.requests[0]
        #expect(request.method == .post && request.url.path == "/oauth/token")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["Authorization"] == nil)
        #expect(
            request.body?.bytes.map { String(decoding: $0, as: UTF8.self) }
                == "grant_type=refresh_token&refresh_token=r%261%3D%C3%A9+%2B%7E&scope=read+write&client_id=my+app")
        #expect(tokens.access == Secret("a2") && tokens.refresh == Secret("r2"))
        #expect(tokens.issuedAt == SessionTokens.noon)
        #expect(tokens.expiresAt == SessionTokens.noon.addingTimeInterval(900))
    }

    @Test(arguments: [
        ("app", "secret", "app:secret"), ("a:b", "c d", "a%3Ab:c%20d"), ("ü", "~*%", "%C3%BC:%7E%2A%25"),
    ])
    func `a client with a secret uses Basic with both parts form-encoded`(id: String, secret: String, pair: String)
        async throws
    {
        answer(#"{"access_token":"a2","token_type":"bearer"}"#)
        _ = try await refresher(as: .basic(id: id, secret: Secret(secret))).refresh(Secret("r1"))
        let request = transport.requests[0]
        #expect(request.headers["Authorization"] == "Basic " + Data(pair.utf8).base64EncodedString())
        #expect(
            request.body?.bytes.map { String(decoding: $0, as: UTF8.self) }
                == "grant_type=refresh_token&refresh_token=r1")
    }

    @Test(arguments: ["", #","refresh_token":"""#, #","refresh_token":null"#])
    func `a response without a refresh token keeps the old one`(member: String) async throws {
        answer(#"{"access_token":"a2","token_type":"Bearer"\#(member)}"#)
        #expect(try await refresher().refresh(Secret("r1")).refresh == Secret("r1"))
    }

    @Test(arguments: [
        ("60", 60.0), ("\"60\"", 60.0), ("60.5", 60.5), ("-5", 0.0), ("0", 0.0), ("1e12", 31_622_400.0),
        ("null", 1800.0),
        ("\"soon\"", 1800.0), ("{}", 1800.0),
    ])
    func `the lifetime is that of the response, with limits, or the default`(said: String, life: TimeInterval)
        async throws
    {
        answer(#"{"access_token":"a2","token_type":"Bearer","expires_in":\#(said)}"#)
        answer(#"{"access_token":"a2"}"#)
        let refresher = try refresher(life: .seconds(1800))
        #expect(try await refresher.refresh(Secret("r1")).expiresAt == SessionTokens.noon.addingTimeInterval(life))
        #expect(try await refresher.refresh(Secret("r1")).expiresAt == SessionTokens.noon.addingTimeInterval(1800))
    }

    @Test func `a refresh has a limit of its own, not that of an attempt`() async throws {
        answer(#"{"access_token":"a2","token_type":"Bearer"}"#)
        _ = try await refresher().refresh(Secret("r1"))
        let context = try #require(transport.requests.first).context
        #expect(context.attemptTimeout == .seconds(30))
    }

    @Test(arguments: [#""a\r\nb""#, #""a b""#, #""\u0000""#, #""é""#])
    func `a token that cannot be sent is refused`(text: String) async throws {
        answer(#"{"access_token":\#(text),"token_type":"Bearer"}"#)
        answer(#"{"access_token":"a2","token_type":"Bearer","refresh_token":\#(text)}"#)
        for _ in 0..<2 {
            guard case .invalidResponse? = await failure(of: try refresher())?.kind else {
                Issue.record("taken: \(text)")
                return
            }
        }
    }

    @Test func `the end of a session is told as one, also with a code only`() async throws {
        answer(#"{"error":"invalid_grant"}"#, status: 400)
        let provider = RefreshingTokenProvider(
            store: MemoryTokenStore(.number(1)), refresher: try refresher(), clock: clock)
        let error = await outcome { () throws(NetworkError) in
            try await provider.refreshToken(rejecting: Secret("access-1"))
        }.error
        #expect(error?.isUnauthorized == true)
        #expect(error?.description.contains("the session has ended") == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        (400, #"{"error":"invalid_grant"}"#), (401, #"{"error":"invalid_grant","error_description":"gone"}"#),
        (403, #"{"error":"invalid_grant"}"#), (200, #"{"error":"invalid_grant"}"#),
        (200, #"{"error":"bad_refresh_token"}"#),
    ])
    func `invalid_grant ends the session with any status`(status: Int, body: String) async throws {
        answer(body, status: status)
        let store = MemoryTokenStore(.number(1))
        let provider = RefreshingTokenProvider(store: store, refresher: try refresher(), clock: clock)
        let error = await outcome { () throws(NetworkError) in
            try await provider.refreshToken(rejecting: Secret("access-1"))
        }.error
        #expect(error?.isUnauthorized == true)
        #expect(try await store.read() == nil)
    }

    @Test(arguments: [
        (401, "invalid_client"), (400, "invalid_client"), (400, "unauthorized_client"), (400, "invalid_request"),
        (400, "unsupported_grant_type"), (400, "invalid_scope"),
    ])
    func `a refused client keeps the session and gets an error with the next step`(status: Int, code: String)
        async throws
    {
        answer(#"{"error":"\#(code)","error_description":"say why"}"#, status: status)
        let error = await failure(of: try refresher())
        #expect(error?.endsSession == false)
        #expect(error?.description.contains("\(code), say why") == true)
        #expect(error?.description.contains("check client id, secret and scope") == true)
        #expect(error?.isRetryable == false)
    }

    @Test(arguments: [500, 502, 503, 429])
    func `a failing server keeps the session, and the refresh can be repeated`(status: Int) async throws {
        answer(#"{"error":"invalid_grant"}"#, status: status)
        let error = await failure(of: try refresher())
        #expect(error?.isRetryable == true && error?.endsSession == false)
    }

    @Test(arguments: [
        "{}", "[]", "null", #"{"access_token":""}"#, #"{"access_token":7}"#,
        #"{"access_token":"a","token_type":"mac"}"#, "not json", "",
    ])
    func `an unusable response is an error that keeps the session`(body: String) async throws {
        answer(body)
        let error = await failure(of: try refresher())
        #expect(error != nil && error?.endsSession == false)
    }

    @Test func `no secret is in the log`() async throws {
        answer(#"{"access_token":"CANARY-2","refresh_token":"CANARY-3"}"#)
        answer(#"{"error":"invalid_grant"}"#, status: 400)
        let refresher = try refresher(as: .basic(id: "app", secret: Secret("CANARY-s")))
        for _ in 0..<2 { _ = try? await refresher.refresh(Secret("CANARY-r")) }
        #expect(!log.lines.isEmpty && !log.lines.contains { $0.contains("CANARY") })
    }

    @Test func `no secret is in an error, even if the server repeats it`() async throws {
        let texts = #""error_description":"token CANARY-r of app:CANARY-s","title":"CANARY-r","detail":"CANARY-s""#
        for (status, code) in [(400, "invalid_grant"), (401, "invalid_client"), (503, "x"), (404, "x"), (200, "other")]
        {
            answer(#"{"error":"\#(code)",\#(texts)}"#, status: status)
            let refresher = try refresher(as: .basic(id: "app", secret: Secret("CANARY-s")))
            let error = await outcome { () throws(NetworkError) in try await refresher.refresh(Secret("CANARY-r")) }
                .error
            let shown = "\(error.map { "\($0) \($0.kind)" } ?? "")"
            #expect(!shown.isEmpty && !shown.contains("CANARY"), "\(status)")
        }
    }
}
