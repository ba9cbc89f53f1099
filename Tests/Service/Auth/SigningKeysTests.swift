import Crypto
import FoundationEssentials
import StrataDomain
import Testing

@testable import StrataService

@Suite struct SigningKeysTests {
    @Test func `the same secret gives the same key, another secret another`() throws {
        let first = try SigningKeys(secret: Sample.secret).publicKeys
        #expect(try SigningKeys(secret: Sample.secret).publicKeys == first)
        #expect(try SigningKeys(secret: Secret(Sample.secret.reveal() + "x")).publicKeys != first)
        #expect(first.count == 1)
    }

    // Computed by an independent HKDF and curve. A change of the derivation would log everybody out and break replicas of two versions.
    @Test func `the key of a known secret never changes`() throws {
        let key = try #require(try SigningKeys(secret: Sample.secret).publicKeys.first)
        #expect(key.id == "mOozTCwwpO_7LIfP")
    }

    @Test func `the key id is the start of the RFC 7638 thumbprint`() throws {
        let key = try #require(try SigningKeys(secret: Sample.secret).publicKeys.first)
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(key.x)","y":"\#(key.y)"}"#
        #expect(Base64URL.encode(SHA256.hash(data: Data(members.utf8))).hasPrefix(key.id))
        #expect(key.id.utf8.count == 16)
        #expect(Base64URL.decode(key.x)?.count == 32)
        #expect(Base64URL.decode(key.y)?.count == 32)
    }

    @Test func `previous secrets follow the current one, each once`() throws {
        let old = Secret("the secret before this one, long enough")
        let keys = try SigningKeys(secret: Sample.secret, previous: [old, Sample.secret, old]).publicKeys
        #expect(keys.count == 2)
        #expect(keys[0] == (try SigningKeys(secret: Sample.secret).publicKeys[0]))
        #expect(keys[1] == (try SigningKeys(secret: old).publicKeys[0]))
    }

    @Test(arguments: ["", "short", String(repeating: "x", count: 31)])
    func `a secret below 32 bytes is refused without being shown`(secret: String) throws {
        let error = #expect(throws: SigningSecretError.self) { try SigningKeys(secret: Secret(secret)) }
        let text = try #require(error).description
        #expect(text.contains("needs at least 32; use random bytes"))
        #expect(secret.isEmpty || !text.contains(secret))
    }
}
