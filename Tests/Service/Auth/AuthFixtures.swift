import Crypto
import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataTesting

@testable import StrataService

/// A database of its own in a temporary directory, which goes with it.
final class AuthDatabase: Sendable {
    let store: any Store
    private let directory: TemporaryDirectory

    init() async throws {
        directory = try TemporaryDirectory()
        store = try await StoreEngine.chosen.open(directory.file("auth.db"))
        try await store.migrate([Sessions.migration, Sessions.pageMigration, LoginThrottle.migration])
    }
}

enum Sample {
    static let now = Date(timeIntervalSince1970: 1_795_251_600)
    static let secret = Secret("a signing secret for tests, 32 bytes and more")
    static let issuer = "https://shiftlog.example"
    static let audience = "shiftlog"

    static func accessTokens(
        _ secret: Secret = secret, previous: [Secret] = [], lifetimeSeconds: Int = 900
    ) async throws -> AccessTokens {
        try await AccessTokens(
            keys: try SigningKeys(secret: secret, previous: previous), issuer: { issuer }, audience: audience,
            lifetimeSeconds: lifetimeSeconds)
    }

    static func issue(_ tokens: AccessTokens, at now: Date = now) async throws -> String {
        try await tokens.issue(
            userId: "user-1", sessionId: "session-1", username: "ada", role: "admin", at: now
        ).reveal()
    }
}

/// A token with any header and payload, signed with a key of the service.
struct Forgery {
    var header: String
    var payload: String
    let key: SigningKeys.Key

    init(secret: Secret = Sample.secret) throws {
        guard let key = try SigningKeys(secret: secret).keys.first else { throw StoreError.failed("no key") }
        self.key = key
        header = #"{"alg":"ES256","kid":"\#(key.shown.id)","typ":"at+jwt"}"#
        payload = Self.payload()
    }

    static func payload(
        iss: String = "\"\(Sample.issuer)\"", aud: String = "\"\(Sample.audience)\"", exp: String? = "1795252500",
        iat: String? = "1795251600", nbf: String? = nil, sub: String = "\"user-1\"", sid: String? = "\"session-1\"",
        jti: String = "\"token-1\"", clientId: String? = "\"\(Sample.audience)\""
    ) -> String {
        let members: [(String, String?)] = [
            ("iss", iss), ("aud", aud), ("exp", exp), ("iat", iat), ("nbf", nbf), ("sub", sub), ("sid", sid),
            ("jti", jti), ("client_id", clientId), ("name", "\"ada\""), ("role", "\"admin\""),
        ]
        return "{" + members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",")
            + "}"
    }

    func token() throws -> String {
        let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
        let signature = try key.privateKey.signature(for: Data(signed.utf8))
        return signed + "." + Base64URL.encode(signature.rawRepresentation)
    }
}
