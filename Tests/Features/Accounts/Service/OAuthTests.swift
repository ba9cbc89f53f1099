import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataSQLite
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

@Suite struct OAuthTests {
    private static func refresh(_ token: String) -> RefreshSession {
        RefreshSession(grant: TokenGrant(refreshToken: token))
    }

    private static func form(_ text: String, _ path: String, _ client: AccountsClient) async throws
        -> (status: Int, problem: Problem?, cacheControl: String?)
    {
        let reply = try await client.reply(
            "POST", path, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Data(text.utf8))
        let problem = try? reply.decoded(Problem.self)
        return (reply.status, problem, reply.headers["Cache-Control"])
    }

    @Test func `a refresh gives a new pair, is counted once, and is kept by no cache`() async throws {
        try await withAccounts { backend, client in
            let first = try await client.login()
            let reply = try await client.reply(Self.refresh(first.refreshToken))
            #expect(reply.status == 200)
            #expect(reply.headers["Cache-Control"] == "no-store")
            let second = try reply.decoded(TokenPayload.self)
            #expect(second.refreshToken != first.refreshToken)
            #expect(try await client.send(GetMe(), as: .bearer(second.accessToken)).username == "ada")
            #expect(backend.metrics.text().contains("shiftlog_token_refreshes_total 1"))
            _ = try await client.refusal(of: Self.refresh("slr_unknown"))
            #expect(backend.metrics.text().contains("shiftlog_token_refreshes_total 1"))
        }
    }

    @Test func `a replay is invalid_grant and refuses the access tokens of the session from then on`() async throws {
        try await withAccounts { _, client in
            let first = try await client.login()
            let other = try await client.login(device: "phone")
            let second = try await client.send(Self.refresh(first.refreshToken))
            let third = try await client.send(Self.refresh(second.refreshToken))
            let refusal = try await client.refusal(of: Self.refresh(first.refreshToken))
            #expect(refusal.status == 400)
            #expect(refusal.problem.error == "invalid_grant")
            #expect(refusal.problem.errorDescription?.isEmpty == false)
            #expect(refusal.headers["Cache-Control"] == "no-store")
            for token in [first, second, third] {
                let refused = try await client.refusal(of: GetMe(), as: .bearer(token.accessToken))
                #expect(refused.status == 401)
                #expect(refused.headers["WWW-Authenticate"] == "Bearer error=\"invalid_token\"")
            }
            #expect(try await client.refusal(of: Self.refresh(third.refreshToken)).problem.error == "invalid_grant")
            _ = try await client.send(GetMe(), as: .bearer(other.accessToken))
        }
    }

    @Test(arguments: [
        ("", "invalid_request"), ("%", "invalid_request"), ("grant_type=%ff", "invalid_request"),
        ("{}", "invalid_request"),
        ("grant_type=refresh_token%00", "invalid_request"),
        ("grant_type=refresh_token&grant_type=refresh_token&refresh_token=x", "invalid_request"),
        ("grant_type=refresh_token&refresh_token=x&refresh_token=y", "invalid_request"),
        ("grant_type=refresh_token&refresh_token=x&scope=a&scope=b", "invalid_request"),
        ("refresh_token=x", "invalid_request"), ("grant_type=", "invalid_request"),
        ("grant_type=refresh_token", "invalid_request"), ("grant_type=refresh_token&refresh_token=", "invalid_request"),
        ("grant_type=password&username=ada&password=x", "unsupported_grant_type"),
        ("grant_type=client_credentials", "unsupported_grant_type"),
        ("grant_type=Refresh_Token&refresh_token=x", "unsupported_grant_type"),
        ("grant_type=refresh_token&refresh_token=x&client_id=stock&scope=", "invalid_grant"),
    ])
    func `errors are those of RFC 6749 inside a problem document`(form: String, error: String) async throws {
        try await withAccounts { _, client in
            let answer = try await Self.form(form, "/v1/oauth/token", client)
            #expect(answer.status == 400)
            #expect(answer.problem?.error == error)
            #expect(answer.problem?.code == error)
            let description = try #require(answer.problem?.errorDescription)
            #expect(!description.isEmpty)
            #expect(!description.contains("JSON"))
            #expect(
                description.unicodeScalars.allSatisfy {
                    (0x20...0x7E).contains($0.value) && !"\"\\".unicodeScalars.contains($0)
                })
            #expect(answer.cacheControl == "no-store")
        }
    }

    @Test(arguments: ["", "token=a&token=b", "%", "token=%ff", "token="])
    func `a broken form is invalid_request at the revocation endpoint too`(form: String) async throws {
        try await withAccounts { _, client in
            let answer = try await Self.form(form, "/v1/oauth/revoke", client)
            #expect(answer.status == 400)
            #expect(answer.problem?.error == "invalid_request")
        }
    }

    @Test(arguments: ["", "[]", "{", #"{"grant_type":1}"#])
    func `broken JSON is invalid_request as well`(json: String) async throws {
        try await withAccounts { _, client in
            let reply = try await client.post("/v1/oauth/token", json)
            #expect(reply.status == 400)
            #expect(try reply.decoded(Problem.self).error == "invalid_request")
        }
    }

    @Test func `another media type stays 415`() async throws {
        try await withAccounts { _, client in
            let reply = try await client.post("/v1/oauth/token", "grant_type=x", type: "text/plain")
            #expect(reply.status == 415)
        }
    }

    @Test func `a form of a stock client is accepted`() async throws {
        try await withAccounts { _, client in
            let token = try await client.login().refreshToken
            let answer = try await Self.form(
                "refresh_token=\(token)&client_id=stock&grant_type=refresh_token", "/v1/oauth/token", client)
            #expect(answer.status == 200)
        }
    }

    @Test func `revoking a refresh token ends its session`() async throws {
        try await withAccounts { _, client in
            let tokens = try await client.login()
            let other = try await client.login()
            _ = try await client.send(RevokeToken(revocation: Revocation(token: tokens.refreshToken)))
            #expect(try await client.refusal(of: GetMe(), as: .bearer(tokens.accessToken)).status == 401)
            #expect(try await client.refusal(of: Self.refresh(tokens.refreshToken)).problem.error == "invalid_grant")
            _ = try await client.send(GetMe(), as: .bearer(other.accessToken))
        }
    }

    @Test func `revoking an access token ends its session, whatever the hint says`() async throws {
        try await withAccounts { _, client in
            let tokens = try await client.login()
            let status = try await Self.form(
                "token=\(tokens.accessToken)&token_type_hint=refresh_token", "/v1/oauth/revoke", client
            ).status
            #expect(status == 200)
            #expect(try await client.refusal(of: Self.refresh(tokens.refreshToken)).status == 400)
        }
    }

    @Test(arguments: ["x", "slr_x", "a.b.c", "%F0%9F%97%9D", "slh_x"])
    func `revoking an unknown token is no error`(token: String) async throws {
        try await withAccounts { _, client in
            let answer = try await Self.form("token=\(token)", "/v1/oauth/revoke", client)
            #expect(answer.status == 200)
        }
    }

    @Test func `revoking nothing is invalid_request`() async throws {
        try await withAccounts { _, client in
            let answer = try await Self.form("token_type_hint=access_token", "/v1/oauth/revoke", client)
            #expect(answer.status == 400)
            #expect(answer.problem?.error == "invalid_request")
        }
    }

    @Test func `the published keys are public and verify our tokens by their id`() async throws {
        try await withAccounts { _, client in
            let reply = try await client.reply(GetKeySet())
            let set = try reply.decoded(JSONValue.self)
            guard case .array(let keys)? = set.object?["keys"] else {
                Issue.record("no keys")
                return
            }
            #expect(keys.count == 1)
            let key = try #require(keys.first?.object)
            #expect(key.keys.sorted() == ["alg", "crv", "kid", "kty", "use", "x", "y"])
            #expect(key["alg"] == .string("ES256"))
            let header = try await client.login().accessToken.split(separator: ".")[0]
            let bytes = try #require(TokenPart.decoded(header))
            #expect(try WireJSON.decode(JSONValue.self, from: bytes).object?["kid"] == key["kid"])
        }
    }

    @Test func `the metadata names this server's endpoints under the issuer of its tokens`() async throws {
        try await withAccounts { _, client in
            let metadata = try await client.send(GetServerMetadata())
            #expect(metadata.issuer == AccountsBackend.issuer)
            #expect(metadata.tokenEndpoint == AccountsBackend.issuer + "/v1/oauth/token")
            #expect(metadata.jwksUri == AccountsBackend.issuer + "/.well-known/jwks.json")
        }
    }

    @Test func `no header of a caller changes the metadata`() async throws {
        try await withAccounts { _, client in
            let usual = try await client.reply("GET", GetServerMetadata.route.template)
            for (name, value) in [
                ("X-Forwarded-Host", "evil.example"), ("X-Forwarded-Proto", "http"),
                ("Forwarded", "for=192.0.2.1;host=evil.example"),
            ] {
                let reply = try await client.reply("GET", GetServerMetadata.route.template, headers: [name: value])
                #expect(reply.body == usual.body)
            }
            let token = try await client.login().accessToken
            let payload = try #require(TokenPart.decoded(token.split(separator: ".")[1]))
            let claims = try WireJSON.decode(JSONValue.self, from: payload).object
            #expect(claims?["iss"] == .string(try usual.decoded(ServerMetadataPayload.self).issuer))
        }
    }

    @Test func `a lost answer logs nobody out`() async throws {
        try await withAccounts { backend, client in
            let first = try await client.login()
            _ = try await client.send(Self.refresh(first.refreshToken))
            backend.clock.advance(by: .seconds(29))
            let retried = try await client.send(Self.refresh(first.refreshToken))
            _ = try await client.send(GetMe(), as: .bearer(retried.accessToken))
            let next = try await client.send(Self.refresh(retried.refreshToken))
            _ = try await client.send(GetMe(), as: .bearer(next.accessToken))
        }
    }
}

private enum TokenPart {
    static func decoded(_ text: Substring) -> Data? {
        let padded = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4))
    }
}
