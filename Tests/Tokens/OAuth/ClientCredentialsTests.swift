import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataTokens

/// Tokens without a user (RFC 6749, section 4.4), from the first request to the renewal.
struct ClientCredentialsTests {
    private let bench = OAuthBench()
    private let client = OAuthClient.basic(id: "reports", secret: Secret("s3cret"))

    private func failure(of tokens: RefreshingTokenProvider) async -> NetworkError? {
        await outcome { () throws(NetworkError) in try await tokens.currentToken() }.error
    }

    @Test func `the first call asks for tokens with Basic, and no login is needed`() async throws {
        bench.answer(token: "a1")
        let tokens = try bench.oauth(client).clientCredentials(scope: "reports:read reports:write")
        #expect(tokens.tokenAtHand == nil && bench.transport.requests.isEmpty)
        #expect(try await tokens.currentToken() == Secret("a1"))
        let request = try #require(bench.transport.requests.first)
        #expect(request.method == .post && request.url.description == "https://id.test/oauth/token")
        #expect(request.headers["Authorization"] == "Basic " + Data("reports:s3cret".utf8).base64EncodedString())
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["Accept"] == "application/json")
        #expect(bench.forms == ["grant_type=client_credentials&scope=reports%3Aread+reports%3Awrite"])
        #expect(request.context.attemptTimeout == .seconds(30))
        #expect(tokens.tokenAtHand == Secret("a1"))
    }

    @Test(arguments: [
        ("a+b%c d:e&f=g", "a%2Bb%25c+d%3Ae%26f%3Dg"), ("ünï/\"'\\", "%C3%BCn%C3%AF%2F%22%27%5C"), ("~*", "%7E%2A"),
    ])
    func `a secret of any characters is form-encoded, as Basic and in the body`(secret: String, encoded: String)
        async throws
    {
        for _ in 0..<2 { bench.answer(token: "a1") }
        _ = try await bench.oauth(.basic(id: "my:app", secret: Secret(secret))).clientCredentials().currentToken()
        _ = try await bench.oauth(.body(id: "my:app", secret: Secret(secret))).clientCredentials().currentToken()
        let requests = bench.transport.requests
        #expect(
            requests[0].headers["Authorization"] == "Basic "
                + Data("my%3Aapp:\(encoded.replacing("+", with: "%20"))".utf8).base64EncodedString())
        #expect(requests[1].headers["Authorization"] == nil)
        #expect(
            bench.forms == [
                "grant_type=client_credentials",
                "grant_type=client_credentials&client_id=my%3Aapp&client_secret=\(encoded)",
            ])
    }

    @Test func `further fields follow in the order of their names, but cannot replace those of the grant`() async throws
    {
        bench.answer(token: "a1")
        let oauth = try bench.oauth(client)
        _ = try await oauth.clientCredentials(parameters: ["resource": "b", "audience": "a c"]).currentToken()
        #expect(bench.forms == ["grant_type=client_credentials&audience=a+c&resource=b"])
        for name in ["grant_type", "client_id", "client_secret", "scope"] {
            let error = await failure(of: oauth.clientCredentials(scope: "x", parameters: [name: "mine"]))
            #expect(error?.description.contains("'\(name)'") == true)
        }
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `a query of the token endpoint is kept`() async throws {
        bench.answer(token: "a1")
        let server = try OAuthServer.endpoints(token: "https://id.test/token?api-version=2&t=a%2Bb")
        _ = try await bench.oauth(client, server: server).clientCredentials().currentToken()
        #expect(bench.transport.requests[0].url.description == "https://id.test/token?api-version=2&t=a%2Bb")
    }

    @Test func `twenty tasks without a token cause one request`() async throws {
        let gate = Gate()
        bench.transport.append(
            .held(by: gate, then: .json(#"{"access_token":"a1","token_type":"Bearer","expires_in":900}"#)))
        let tokens = try bench.oauth(client).clientCredentials()
        let got = try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await tokens.currentToken() } }
            try await eventually("all wait") { await tokens.waiting == 20 }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(got.count == 20 && got.allSatisfy { $0 == Secret("a1") })
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `providers that share a store share its token`() async throws {
        bench.answer(token: "a1")
        let (store, oauth) = (MemoryTokenStore(), try bench.oauth(client))
        #expect(try await oauth.clientCredentials(store: store).currentToken() == Secret("a1"))
        #expect(try await oauth.clientCredentials(store: store).currentToken() == Secret("a1"))
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `tokens are asked for again a minute before they expire`() async throws {
        bench.answer(token: "a1", living: 900)
        bench.answer(token: "a2", living: 900)
        let store = MemoryTokenStore()
        let tokens = try bench.oauth(client).clientCredentials(store: store)
        #expect(try await tokens.currentToken() == Secret("a1"))
        bench.clock.advance(by: .seconds(839))
        #expect(try await tokens.currentToken() == Secret("a1"))
        #expect(bench.transport.requests.count == 1)
        bench.clock.advance(by: .seconds(2))
        #expect(try await tokens.currentToken() == Secret("a2"))
        #expect(bench.forms == ["grant_type=client_credentials", "grant_type=client_credentials"])
        #expect(try await store.read()?.access == Secret("a2"))
    }

    @Test func `a token endpoint that is away stops no call while the token works`() async throws {
        bench.answer(token: "a1", living: 900)
        bench.answer("{}", status: 503)
        let tokens = try bench.oauth(client).clientCredentials()
        _ = try await tokens.currentToken()
        bench.clock.advance(by: .seconds(870))
        #expect(try await tokens.currentToken() == Secret("a1"))
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `a token that an API refuses is replaced once, and the call sent again`() async throws {
        bench.answer(token: "a1")
        bench.answer(token: "a2")
        let api = ScriptedTransport(.status(401), .json("{}"))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("https://api.test"), transport: api,
            auth: .bearer(bench.oauth(client).clientCredentials()),
            resilience: Resilience(ResilienceOptions(retry: .never)), logger: bench.log.logger())
        _ = try await client.send(Ping())
        #expect(api.requests.map { $0.headers["Authorization"] } == ["Bearer a1", "Bearer a2"])
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `a server that issues a refused token again is named as the reason`() async throws {
        for _ in 0..<3 { bench.answer(token: "same") }
        let tokens = try bench.oauth(client).clientCredentials()
        let token = try #require(try await tokens.currentToken())
        let error = await outcome { () throws(NetworkError) in try await tokens.refreshToken(rejecting: token) }.error
        #expect(error?.isUnauthorized == true)
        #expect(error?.description.contains("check the scope and the audience") == true)
    }

    @Test func `after a logout the next call asks again`() async throws {
        bench.answer(token: "a1")
        bench.answer(token: "a2")
        let store = InMemoryTokenStore()
        let tokens = try bench.oauth(client).clientCredentials(store: store)
        _ = try await tokens.currentToken()
        #expect(try await tokens.logout()?.access == Secret("a1"))
        #expect(try await store.read() == nil)
        #expect(try await tokens.currentToken() == Secret("a2"))
    }

    @Test func `a refresh token of the server is neither kept nor used`() async throws {
        bench.answer(token: "a1", refresh: "r1")
        bench.answer(token: "a2", refresh: "r2")
        let store = MemoryTokenStore()
        let tokens = try bench.oauth(client).clientCredentials(store: store)
        _ = try await tokens.currentToken()
        #expect(try await store.read()?.refresh == nil)
        #expect(try await tokens.refreshToken(rejecting: Secret("a1")) == Secret("a2"))
        #expect(bench.forms.last == "grant_type=client_credentials")
    }

    @Test func `a refusal ends nothing, and the next call asks again`() async throws {
        bench.answer(#"{"error":"invalid_grant"}"#, status: 400)
        bench.answer(token: "a1")
        let tokens = try bench.oauth(client).clientCredentials()
        #expect(await failure(of: tokens) != nil)
        #expect(try await tokens.currentToken() == Secret("a1"))
    }

    @Test func `a token that cannot be stored is not handed out`() async throws {
        bench.answer(token: "a1")
        let store = MemoryTokenStore()
        let hooked = HookedStore(store) { step in
            if step == .write { store.failure = TokenStoreError("The disk is full.") }
        }
        let error = await failure(of: try bench.oauth(client).clientCredentials(store: hooked))
        #expect(error?.isStorage == true, "\(String(describing: error))")
    }

    @Test func `the client secret is in no file, no error and no log line`() async throws {
        let secret = "CANARY+%1"
        let directory = try TemporaryDirectory()
        bench.answer(token: "CANARY-token")
        for (status, body) in [
            (401, #"{"error":"invalid_client","error_description":"no CANARY+%1 nor CANARY%2B%251"}"#),
            (200, #"{"error":"CANARY+%1","error_description":"CANARY%2B%251"}"#), (400, #"{"detail":"CANARY+%1"}"#),
        ] { bench.answer(body, status: status) }
        let oauth = try bench.oauth(.body(id: "app", secret: Secret(secret)))
        let store = try FileTokenStore(directory: directory.path)
        _ = try await oauth.clientCredentials(store: store).currentToken()
        let file = try String(contentsOfFile: directory.file("default/tokens.json"), encoding: .utf8)
        #expect(file.contains("CANARY-token") && !file.contains("CANARY+") && !file.contains("CANARY%"))
        for _ in 0..<3 {
            let error = try #require(await failure(of: oauth.clientCredentials()))
            #expect(!error.everything.contains("CANARY"), "\(error.everything)")
        }
        #expect(!bench.log.lines.isEmpty && !bench.log.lines.contains { $0.contains("CANARY") })
    }
}

private struct Ping: ManualEndpoint {
    typealias Response = JSONValue
    var method: HTTPMethod { .get }
    var path: String { "/ping" }
}
