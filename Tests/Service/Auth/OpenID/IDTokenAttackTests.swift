import Crypto
import CryptoExtras
import FoundationEssentials
import StrataDomain
import StrataHTTP
import StrataTesting
import Testing

@testable import StrataService

/// Id tokens that no provider issued to this sign-in (OpenID Connect Core 1.0, section 3.1.3.7; RFC 8725): none is accepted.
@Suite struct IDTokenAttackTests {
    private static let fixture = Result { try ProviderFixture() }

    @Test(arguments: ProviderFixture.Signer.allCases)
    func `a valid token of each algorithm is accepted`(signer: ProviderFixture.Signer) async throws {
        let fixture = try Self.fixture.get()
        let identity = try await fixture.identity(token: fixture.token(signer))
        #expect(
            identity == OpenIDIdentity(issuer: ProviderFixture.issuer, subject: "248289761001", preferredName: "ada"))
    }

    @Test(
        arguments: [
            ["aud": #"["shiftlog"]"#], ["aud": #"["other","shiftlog"]"#, "azp": "\"shiftlog\""],
            ["azp": "\"shiftlog\""], ["exp": "SECONDS-59"], ["iat": "SECONDS+59"], ["nbf": "SECONDS+59"],
            ["at_hash": "AT_HASH"],
        ] as [[String: String]])
    func `what the standard allows is accepted`(claims: [String: String]) async throws {
        let fixture = try Self.fixture.get()
        let token = try fixture.token(claims: filled(claims))
        #expect(try await fixture.identity(token: token).subject == "248289761001")
    }

    @Test(
        arguments: [
            ["iss": "\"https://evil.example\""], ["iss": "\"https://id.example/\""], ["iss": "\"HTTPS://id.example\""],
            ["iss": nil], ["aud": "\"other\""], ["aud": "[]"], ["aud": #"["other","shiftlog"]"#], ["aud": nil],
            ["aud": "\"shiftlog \""], ["aud": "7"], ["azp": "\"other\""],
            ["aud": #"["other","shiftlog"]"#, "azp": "\"other\""], ["nonce": "\"other\""], ["nonce": nil],
            ["nonce": "\"\""], ["exp": "SECONDS-60"], ["exp": "0"], ["exp": "1e400"], ["exp": "\"9999999999\""],
            ["exp": "-1"], ["exp": "99999999999999"], ["exp": nil], ["iat": "SECONDS+61"], ["iat": nil],
            ["iat": "\"now\""], ["nbf": "SECONDS+61"], ["sub": nil], ["sub": "\"\""], ["sub": "7"], ["sub": "null"],
            ["sub": "\"\(String(repeating: "x", count: 256))\""], ["sub": "\"é\""], ["sub": "\"a\\u0000b\""],
            ["at_hash": "\"77QmUPtjPfzWtF2AnpK9RQ\""], ["at_hash": "\"\""],
            ["padding": "\"\(String(repeating: "x", count: 65_536))\""],
        ] as [[String: String?]])
    func `a token with another claim is refused`(claims: [String: String?]) async throws {
        let fixture = try Self.fixture.get()
        try await expectRefusal(fixture.token(claims: filled(claims)))
    }

    @Test(
        arguments: [
            ["alg": "\"none\""], ["alg": "\"NONE\""], ["alg": "\"HS256\""], ["alg": "\"ES384\""], ["alg": "\"es256\""],
            ["alg": "\"RS256\""], ["alg": "\"EdDSA\""], ["alg": nil], ["alg": "7"], ["kid": "\"other\""],
            ["kid": "\"enc\""], ["kid": "\"RS256\""], ["kid": "7"], ["crit": "[\"exp\"]"], ["crit": "[]"],
            ["b64": "false"], ["typ": "\"at+jwt\""], ["typ": "\"logout+jwt\""],
        ] as [[String: String?]])
    func `a token with another header is refused`(header: [String: String?]) async throws {
        try await expectRefusal(try Self.fixture.get().token(header: header))
    }

    @Test func `members that are written twice are refused`() async throws {
        let fixture = try Self.fixture.get()
        try await expectRefusal(fixture.token(extra: #","sub":"another""#))
        try await expectRefusal(fixture.token(extra: #","s\u0075b":"another""#))
    }

    @Test func `a signature of another key, a changed one and none are refused`() async throws {
        let fixture = try Self.fixture.get()
        let other = try ProviderFixture()
        let token = try fixture.token()
        let parts = token.split(separator: ".").map(String.init)
        let signed = "\(parts[0]).\(parts[1])"
        let foreign = Base64URL.encode(try other.signature(.es256, Data(signed.utf8)))
        // Both numbers zero, which some libraries took for valid (CVE-2022-21449).
        let zeros = Base64URL.encode(Data(repeating: 0, count: 64))
        let der = Base64URL.encode(try fixture.curve.signature(for: Data(signed.utf8)).derRepresentation)
        for signature in [foreign, zeros, der, "", "AA", parts[2] + "AAAA", parts[2] + "="] {
            try await expectRefusal("\(signed).\(signature)")
        }
        for text in [
            signed, "\(token).", "\(token).\(parts[2])", " \(token)", "\(token)\n", "", ".", "..", "a.b.c",
            "\(parts[0]).\(parts[1])A.\(parts[2])", "\(parts[0]).\(parts[1])=.\(parts[2])",
        ] {
            try await expectRefusal(text)
        }
    }

    @Test func `a MAC with the public key as its secret is refused`() async throws {
        let fixture = try Self.fixture.get()
        let parts = try fixture.token(header: ["alg": "\"HS256\""]).split(separator: ".")
        let signed = Data("\(parts[0]).\(parts[1])".utf8)
        let keys = [
            Data(fixture.curve.publicKey.pemRepresentation.utf8), fixture.curve.publicKey.derRepresentation,
            fixture.curve.publicKey.rawRepresentation, Data(fixture.rsa.publicKey.pemRepresentation.utf8),
        ]
        for key in keys {
            let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key))
            try await expectRefusal("\(parts[0]).\(parts[1]).\(Base64URL.encode(Data(code)))")
        }
    }

    @Test func `a token of another sign-in is refused`() async throws {
        let fixture = try Self.fixture.get()
        let provider = try fixture.provider(fixture.client(token: fixture.token()))
        await #expect(throws: OpenIDError.refused("nonce is that of another sign-in")) {
            try await provider.identity(
                code: "c", of: OpenIDAttempt(), redirect: ProviderFixture.redirect, at: fixture.now)
        }
    }

    /// `SECONDS` is the time of the test.
    private func filled(_ claims: [String: String?]) -> [String: String?] {
        let now = Int(Date.noon.timeIntervalSince1970)
        let hash = Base64URL.encode(Data(SHA256.hash(data: Data("at".utf8))).prefix(16))
        return claims.mapValues { value in
            guard let value, value.hasPrefix("SECONDS") else { return value == "AT_HASH" ? "\"\(hash)\"" : value }
            return "\(now + (Int(value.dropFirst("SECONDS".count)) ?? 0))"
        }
    }

    private func expectRefusal(_ token: String, at location: SourceLocation = #_sourceLocation) async throws {
        let fixture = try Self.fixture.get()
        // The token must be a JSON string for the response of the token endpoint.
        let text = token.replacing("\n", with: "\\n")
        let error = await #expect(throws: OpenIDError.self, sourceLocation: location) {
            try await fixture.identity(token: text)
        }
        guard case .refused = error else {
            Issue.record("\(String(describing: error)) is no refusal", sourceLocation: location)
            return
        }
    }
}
