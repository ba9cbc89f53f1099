import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

@Suite struct HostTokenRoutesTests {
    private static func create(_ name: String = "web-1") -> CreateHostToken {
        CreateHostToken(draft: HostTokenDraft(name: name))
    }

    @Test func `a key is shown once, has 256 bits and is stored as a digest`() async throws {
        try await withAccounts { backend, client in
            let admin = try await client.admin()
            let reply = try await client.reply(Self.create(), as: admin)
            #expect(reply.status == 201)
            #expect(reply.headers["Cache-Control"] == "no-store")
            let created = try reply.decoded(NewHostToken.self)
            let key = try #require(created.key).reveal()
            #expect(key.hasPrefix("slh_") && key.utf8.count == 47)
            let listed = try await client.send(ListHostTokens(), as: admin).items
            #expect(listed.map(\.name) == ["web-1"])
            let list = try await client.reply(ListHostTokens(), as: admin)
            #expect(!String(decoding: list.body, as: UTF8.self).contains("key"))
            #expect(
                try await backend.rows("SELECT key_hash FROM host_token")[0].text("key_hash") == OpaqueToken.digest(key)
            )
        }
    }

    @Test func `a key names its machine, and its use is noted to the minute`() async throws {
        try await withAccounts { backend, client in
            let admin = try await client.admin()
            let created = try await client.send(Self.create(), as: admin)
            let key = try #require(created.key).reveal()
            let use: @Sendable () async throws -> Date? = {
                let principal = try await backend.accounts.principal(apiKey: key)
                #expect(principal == .host(tokenId: created.token.id.rawValue, name: "web-1"))
                return try await backend.rows("SELECT last_used_at FROM host_token")[0].dateIfAny("last_used_at")
            }
            #expect(created.token.lastUsedAt == nil)
            let first = backend.clock.now
            #expect(try await use() == first)
            backend.clock.advance(by: .seconds(59))
            #expect(try await use() == first)
            backend.clock.advance(by: .seconds(1))
            #expect(try await use() == backend.clock.now)
            backend.clock.advance(by: .seconds(-86_400))
            #expect(try await use() == backend.clock.now, "the clock was set back")
        }
    }

    @Test func `a revoked key is refused at once, and revoked only once`() async throws {
        try await withAccounts { _, client in
            let admin = try await client.admin()
            let created = try await client.send(Self.create(), as: admin)
            let key = try #require(created.key).reveal()
            #expect(try await client.refusal(of: GetMe(), as: .key(key)).status == 403)
            _ = try await client.send(DeleteHostToken(id: created.token.id), as: admin)
            #expect(try await client.refusal(of: GetMe(), as: .key(key)).status == 401)
            #expect(try await client.refusal(of: DeleteHostToken(id: created.token.id), as: admin).status == 404)
        }
    }

    @Test(arguments: [
        "x", "slh_", "slh_x", "slr_x", "slh_'; DROP TABLE host_token; --", "slh_" + String(repeating: "x", count: 5000),
    ])
    func `an unknown key is refused and not repeated`(key: String) async throws {
        try await withAccounts { _, client in
            let refusal = try await client.refusal(of: GetMe(), as: .key(key))
            #expect(refusal.status == 401)
            #expect(refusal.headers["WWW-Authenticate"] != nil)
            if key.count > 4 { #expect(refusal.problem.detail?.contains(key) == false) }
        }
    }

    @Test(arguments: ["", String(repeating: "n", count: 101), "web\u{7}1", "web 1", "web\n1"])
    func `a name that no host has is refused with its field`(name: String) async throws {
        try await withAccounts { _, client in
            let refusal = try await client.refusal(of: Self.create(name), as: try await client.admin())
            #expect(refusal.status == 422)
            #expect(refusal.problem.errors?.first?.field == "name")
        }
    }

    @Test func `a refresh token is no key and a key no access token`() async throws {
        try await withAccounts { _, client in
            let tokens = try await client.login()
            let key = try #require(try await client.send(Self.create(), as: try await client.admin()).key).reveal()
            #expect(try await client.refusal(of: GetMe(), as: .key(tokens.refreshToken)).status == 401)
            #expect(try await client.refusal(of: GetMe(), as: .key(tokens.accessToken)).status == 401)
            #expect(try await client.refusal(of: GetMe(), as: .bearer(key)).status == 401)
            #expect(try await client.refusal(of: GetMe(), as: .bearer(tokens.refreshToken)).status == 401)
        }
    }

    @Test func `an Idempotency-Key does not store a key for later`() async throws {
        try await withAccounts { backend, client in
            let admin = try await client.admin()
            for _ in 0..<2 {
                _ = try await client.reply(
                    "POST", "/v1/host-tokens", as: admin,
                    headers: ["Content-Type": "application/json", "Idempotency-Key": "one"],
                    body: Data(#"{"name":"web-1"}"#.utf8))
            }
            #expect(try await backend.rows("SELECT * FROM idempotent_answer").isEmpty)
        }
    }
}
