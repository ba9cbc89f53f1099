import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

/// Whose responses a client gets: what keeps the users of a cache apart.
struct PrincipalTests {
    private func principal(
        _ auth: AuthStyle, base: String = "http://tides.test", headers: HeaderFields = [:]
    ) async throws -> String {
        try await Bench(base: base, auth: auth, options: ClientOptions(headers: headers)).client.principal()
    }

    @Test func `each server and each credential is another principal`() async throws {
        let all = [
            try await principal(.none), try await principal(.none, base: "http://tides.test/v2"),
            try await principal(.none, base: "https://tides.test"),
            try await principal(.none, headers: ["Cookie": "session=ada"]),
            try await principal(.none, headers: ["Cookie": "session=bob"]),
            try await principal(.token(Secret("ada"))), try await principal(.token(Secret("bob"))),
            try await principal(.apiKey(Secret("ada"), in: .query("key"))),
            try await principal(.bearer(FakeTokens("carl"))),
        ]
        #expect(Set(all).count == all.count)
    }

    @Test func `it is the same for the next call, and holds no secret`() async throws {
        let first = try await principal(.token(Secret("hunter2")))
        #expect(try await principal(.token(Secret("hunter2"))) == first)
        #expect(!first.contains("hunter2"))
    }
}
