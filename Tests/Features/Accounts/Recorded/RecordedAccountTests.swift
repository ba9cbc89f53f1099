import Foundation
import StrataDomain
import StrataFeatureTesting
import StrataSQLite
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

/// What the routes answered, and what the tables held, before the types of the domain were the form on the wire.
@Suite struct `Recorded accounts` {
    private static let root = ["Authorization": "Bearer <token-1>"]
    private static let login = #"{"username":"root","password":"a good password","device":"laptop"}"#

    /// Of the password `a good password`.
    private static let passwordHash = "scrypt$16$8$1$T4aUDBM4iciyoNzC19cSZw$oFVDOo2efZjD2VZx3upuWExezGCJ175zAuiH0NU4WPo"
    private static let key = "slh_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    /// Of `key`.
    private static let keyHash = "SFdHNsb4vtc0CAqoPUIUp37vPgTLHLpr_AY9UGLO1NY"

    @Test func `each request about sessions gets the recorded response`() async throws {
        try await withAccounts { backend, client in
            var wire = WireTranscript(client: client.client)
            try await wire.send("GET", "/.well-known/jwks.json")
            try await wire.send("GET", "/.well-known/oauth-authorization-server")
            try await wire.send("POST", "/v1/sessions", [:], Self.login)
            backend.clock.advance(by: .milliseconds(1500))
            try await wire.send("POST", "/v1/sessions", [:], #"{"username":"root","password":"a good password"}"#)
            try await wire.send("POST", "/v1/sessions", [:], #"{"username":"root","password":"wrong"}"#)
            try await wire.send(
                "POST", "/v1/sessions", [:], #"{"username":"root","password":"a good password","device":"a\u0007"}"#)
            try await wire.send("GET", "/v1/me", Self.root)
            try await wire.send("GET", "/v1/sessions", Self.root)
            try await wire.send(
                "POST", "/v1/oauth/token", [:], #"{"grant_type":"refresh_token","refresh_token":"<secret-1>"}"#)
            try await wire.send("POST", "/v1/oauth/token", [:], #"{"grant_type":"refresh_token"}"#)
            try await wire.send("POST", "/v1/oauth/token", [:], #"{"grant_type":"password"}"#)
            try await wire.send("POST", "/v1/oauth/revoke", [:], #"{"token":"<secret-2>"}"#)
            try await wire.send("POST", "/v1/oauth/revoke", [:], "{}")
            try await wire.send("GET", "/v1/sessions", Self.root)
            try await wire.send("DELETE", "/v1/sessions/nope", Self.root)
            try await wire.send("DELETE", "/v1/sessions/all", Self.root)
            for path in ["/v1/me", "/v1/sessions", "/v1/users", "/v1/users/x", "/v1/host-tokens"] {
                try await wire.send("GET", path, Self.root)
            }
            #expect(try Recording("Accounts/sessions.txt").difference(from: wire.text) == nil)
        }
    }

    @Test(.enabled(if: StoreEngine.chosen.isSQLite, "reads rows and tables of SQLite"))
    func `each request about users gets the recorded response and leaves the recorded rows`() async throws {
        try await withAccounts { backend, client in
            var wire = WireTranscript(client: client.client)
            try await wire.send("POST", "/v1/sessions", [:], Self.login)
            backend.clock.advance(by: .milliseconds(1500))
            let bob = #"{"username":"bob","role":"member","password":"a new password"}"#
            for query in ["", "?limit=1", "?page=2&limit=1", "?page=9", "?page=0", "?limit=201", "?page=x"] {
                try await wire.send("GET", "/v1/users\(query)", Self.root)
            }
            try await wire.send("POST", "/v1/users", Self.root, bob)
            try await wire.send("POST", "/v1/users", Self.root, bob)
            for body in [
                #"{"username":"Bob","role":"member","password":"short"}"#, #"{"username":"eve","role":"member"}"#,
                #"{"username":"eve","role":"owner","password":"a new password"}"#, #"{"username":"eve"}"#, "[]",
            ] { try await wire.send("POST", "/v1/users", Self.root, body) }
            try await wire.send("GET", "/v1/users/<id-1>", Self.root)
            try await wire.send("GET", "/v1/users/<id-3>", Self.root)
            backend.clock.advance(by: .seconds(60))
            try await wire.send("PUT", "/v1/users/<id-3>", Self.root, #"{"username":"robert","role":"admin"}"#)
            try await wire.send("PUT", "/v1/users/<id-3>", Self.root, #"{"username":"ada","role":"admin"}"#)
            try await wire.send("PUT", "/v1/users/<id-3>", Self.root, #"{"username":"","role":"admin"}"#)
            try await wire.send("PUT", "/v1/users/nope", Self.root, #"{"username":"x","role":"admin"}"#)
            try await wire.send("DELETE", "/v1/users/<id-3>", Self.root)
            try await wire.send("DELETE", "/v1/users/<id-3>", Self.root)
            try await wire.send("DELETE", "/v1/users/<id-2>", Self.root)
            try await wire.send("POST", "/v1/users", Self.root, bob)
            #expect(try Recording("Accounts/users.txt").difference(from: wire.text) == nil)

            let before = wire.text.count
            try await wire.record(["app_user"], of: backend.store, hiding: ["password_hash"])
            let rows = String(wire.text.dropFirst(before))
            #expect(try Recording("Accounts/user-rows.sql").difference(from: rows) == nil)
        }
    }

    @Test(.enabled(if: StoreEngine.chosen.isSQLite, "reads rows and tables of SQLite"))
    func `each request about host tokens gets the recorded response and leaves the recorded rows`() async throws {
        try await withAccounts { backend, client in
            var wire = WireTranscript(client: client.client)
            try await wire.send("POST", "/v1/sessions", [:], Self.login)
            try await wire.send("GET", "/v1/host-tokens", Self.root)
            try await wire.send("POST", "/v1/host-tokens", Self.root, #"{"name":"web1"}"#)
            backend.clock.advance(by: .milliseconds(1500))
            try await wire.send("POST", "/v1/host-tokens", Self.root, #"{"name":"db1"}"#)
            try await wire.send("POST", "/v1/host-tokens", Self.root, #"{"name":"a b"}"#)
            try await wire.send("POST", "/v1/host-tokens", Self.root, "{}")
            try await wire.send("GET", "/v1/me", ["X-API-Key": "<secret-2>"])
            try await wire.send("GET", "/v1/me", ["X-API-Key": "slh_unknown"])
            try await wire.send("GET", "/v1/host-tokens", Self.root)
            try await wire.send("DELETE", "/v1/host-tokens/<id-2>", Self.root)
            try await wire.send("DELETE", "/v1/host-tokens/<id-2>", Self.root)
            #expect(try Recording("Accounts/host-tokens.txt").difference(from: wire.text) == nil)

            let before = wire.text.count
            try await wire.record(["host_token"], of: backend.store, hiding: ["key_hash"])
            let rows = String(wire.text.dropFirst(before))
            #expect(try Recording("Accounts/host-token-rows.sql").difference(from: rows) == nil)
        }
    }

    @Test func `recorded accounts log in, and recorded keys name their machine`() async throws {
        try await withAccounts { backend, client in
            let values = ["password_hash": Self.passwordHash, "key_hash": Self.keyHash]
            try await backend.store.write { try $0.execute("DELETE FROM app_user") }
            try await WireTranscript.restore(Recording("Accounts/user-rows.sql").text(), values, in: backend.store)
            try await WireTranscript.restore(
                Recording("Accounts/host-token-rows.sql").text(), values, in: backend.store)
            var wire = WireTranscript(client: client.client)
            try await wire.send("POST", "/v1/sessions", [:], Self.login)
            try await wire.send("GET", "/v1/me", Self.root)
            try await wire.send("GET", "/v1/users", Self.root)
            try await wire.send("GET", "/v1/host-tokens", Self.root)
            try await wire.send("GET", "/v1/me", ["X-API-Key": Self.key])
            #expect(try Recording("Accounts/restored.txt").difference(from: wire.text) == nil)
        }
    }
}
