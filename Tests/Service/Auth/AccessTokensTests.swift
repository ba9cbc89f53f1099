import Crypto
import FoundationEssentials
import HTTPTypes
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

@Suite struct AccessTokensTests {
    @Test func `an issued token verifies with its claims`() async throws {
        let tokens = try await Sample.accessTokens()
        let claims = try await tokens.verify(try await Sample.issue(tokens), at: Sample.now)
        #expect(claims.userId == "user-1")
        #expect(claims.sessionId == "session-1")
        #expect(claims.username == "ada")
        #expect(claims.role == "admin")
        #expect(claims.expiresAt == Sample.now.addingTimeInterval(900))
    }

    @Test func `the header has at+jwt, ES256 and the key id, and the payload the claims of RFC 9068`() async throws {
        let tokens = try await Sample.accessTokens()
        let parts = try await Sample.issue(tokens).split(separator: ".")
        let header = try WireJSON.decode(JSONValue.self, from: try #require(Base64URL.decode(parts[0])))
        let keyId = try SigningKeys(secret: Sample.secret).publicKeys[0].id
        #expect(
            header == .object(["alg": .string("ES256"), "typ": .string("at+jwt"), "kid": .string(keyId)]))
        let payload = try WireJSON.decode(JSONValue.self, from: try #require(Base64URL.decode(parts[1])))
        let names = try #require(payload.object).keys.sorted()
        #expect(names == ["aud", "client_id", "exp", "iat", "iss", "jti", "name", "role", "sid", "sub"])
        #expect(payload.object?["client_id"] == .string("shiftlog"))
        #expect(payload.object?["exp"] == .integer(1_795_252_500))
    }

    @Test func `a token of one second lives that second and is then refused`() async throws {
        let tokens = try await Sample.accessTokens(lifetimeSeconds: 1)
        let issued = Sample.now.addingTimeInterval(0.7)
        let token = try await Sample.issue(tokens, at: issued)
        _ = try await tokens.verify(token, at: issued.addingTimeInterval(1))
        await #expect(throws: ServiceError.self) { try await tokens.verify(token, at: issued.addingTimeInterval(1.3)) }
    }

    @Test func `a verified token is refused once it has expired, and with another signature`() async throws {
        let tokens = try await Sample.accessTokens()
        let token = try await Sample.issue(tokens)
        for _ in 0..<2 {
            let claims = try await tokens.verify(token, at: Sample.now)
            #expect(claims.sessionId == "session-1")
        }
        let later = Sample.now.addingTimeInterval(901)
        await #expect(throws: ServiceError.self) { try await tokens.verify(token, at: later) }
        let parts = token.split(separator: ".")
        let other = try await Sample.issue(tokens, at: Sample.now.addingTimeInterval(1)).split(separator: ".")
        let forged = "\(parts[0]).\(parts[1]).\(other[2])"
        await #expect(throws: ServiceError.self) { try await tokens.verify(forged, at: Sample.now) }
    }

    @Test(arguments: [(0, 1), (-5, 1), (.max, 86_400), (300, 300)])
    func `a lifetime outside its range moves to the nearer end`(asked: Int, given: Int) async throws {
        #expect(try await Sample.accessTokens(lifetimeSeconds: asked).lifetimeSeconds == given)
    }

    @Test func `a token of the previous secret is accepted while the rotation overlaps, and not after`() async throws {
        let old = Secret("the secret before this one, long enough")
        let token = try await Sample.issue(try await Sample.accessTokens(old))
        let overlapping = try await Sample.accessTokens(previous: [old])
        _ = try await overlapping.verify(token, at: Sample.now)
        let after = try await Sample.accessTokens()
        await #expect(throws: ServiceError.self) { try await after.verify(token, at: Sample.now) }
        // New tokens are signed with the new key at once.
        _ = try await after.verify(try await Sample.issue(overlapping), at: Sample.now)
    }

    @Test func `a token of another issuer is refused: after a change of the public URL, clients refresh`() async throws
    {
        let keys = try SigningKeys(secret: Sample.secret)
        let token = try await Sample.issue(
            try await AccessTokens(keys: keys, issuer: { "shiftlog" }, audience: "shiftlog"))
        let tokens = try await Sample.accessTokens()
        let error = await #expect(throws: ServiceError.self) { try await tokens.verify(token, at: Sample.now) }
        #expect(error?.problem.code == "invalid_token")
    }

    @Test func `a refusal is a 401 with the challenge of RFC 6750 and does not repeat the token`() async throws {
        let tokens = try await Sample.accessTokens()
        let token = try await Sample.issue(tokens)
        let error = try #require(
            await #expect(throws: ServiceError.self) {
                try await tokens.verify(token, at: Sample.now.addingTimeInterval(5000))
            })
        #expect(error.problem.status == 401)
        #expect(error.problem.code == "invalid_token")
        #expect(error.headers["WWW-Authenticate"] == "Bearer error=\"invalid_token\"")
        #expect(error.problem.detail?.contains("expired") == true)
        #expect(error.problem.detail?.contains(token.prefix(20)) == false)
    }

    @Test func `a thousand tokens with one flipped bit are refused, each of them`() async throws {
        let tokens = try await Sample.accessTokens()
        let token = Array(try await Sample.issue(tokens).utf8)
        var random = SeededRandom(seed: 42)
        var refused = 0
        for _ in 0..<1000 {
            var mutated = token
            mutated[Int.random(in: mutated.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            do {
                _ = try await tokens.verify(String(decoding: mutated, as: UTF8.self), at: Sample.now)
            } catch {
                #expect(error.problem.status == 401)
                refused += 1
            }
        }
        #expect(refused == 1000)
    }
}
