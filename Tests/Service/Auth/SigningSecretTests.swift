import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

struct SigningSecretTests {
    @Test(
        arguments: [
            "short", "0123456789012345678901234567890", "changeme-changeme-changeme-changeme-changeme",
            "change-me-to-something-long-and-random-please", "secretsecretsecretsecretsecretsecret",
            "my-secret-password-secret-password-key", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "abababababababababababababababababababab", "CHANGE_ME_CHANGE_ME_CHANGE_ME_CHANGE_ME",
            "shiftlog-default-signing-secret-key!", "0123456789012345678901234567890123456789",
            "12345678123456781234567812345678", "abcdefghabcdefghabcdefghabcdefgh",
            "your-256-bit-secret-your-256-bit-secret!!", "supersecretsupersecretsupersecret1234567",
            "correct horse battery staple wins again", "The quick brown fox jumps over the lazy dog",
            "TO BE OR NOT TO BE THAT IS THE QUESTION", "qwertyuiopasdfghjklzxcvbnm1234567890",
            "P@ssw0rd!P@ssw0rd!P@ssw0rd!P@ssw0rd!",
            "3f7a9c1e5b2d80463f7a9c1e5b2d8046", "deadbeefdeadbeefdeadbeefdeadbeef", "00000000000000000000000000000001",
            "kubernetes-cluster-prod-eu-west-1-signing-key", "98765432109876543210987654321098765432",
            // MD5 of nothing, SHA-1 of an empty line, SHA-256 of nothing, SHA-256 of 'secret'.
            "d41d8cd98f00b204e9800998ecf8427e", "ADC83B19E793491B1C6EA0FD8B46CD9F32E592FC",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b",
        ])
    func `a secret that can be guessed is refused`(text: String) {
        #expect(throws: WeakSecretError.self) { try SigningSecret.check(Secret(text)) }
    }

    @Test func `ten thousand encodings of random bytes are accepted`() {
        var random = SeededRandom(seed: 1)
        var weakest = Int.max
        for _ in 0..<2_000 {
            let bytes = Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
            let hexadecimal = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let base64 = bytes.base64EncodedString()
            let letters = String(bytes.map { Character(Unicode.Scalar(UInt8(ascii: "a") + $0 % 26)) })
            for text in [hexadecimal, hexadecimal.uppercased(), base64, base64.filter { $0 != "=" }, letters] {
                weakest = min(weakest, SecretStrength(of: text).bits)
            }
        }
        #expect(weakest >= SecretStrength.enough)
    }

    @Test func `no text makes the estimate trap, and none has more bits than its alphabet allows`() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<5_000 {
            let text = String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in
                        Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &random))
                    }))
            #expect(SecretStrength(of: text).bits <= text.lowercased().utf8.count * 10)
        }
    }

    @Test(arguments: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "Xk2vQ9rT-bL7mZ4wJ_pN8cH3yF6sD1gK"])
    func `another long one is accepted`(text: String) throws {
        try SigningSecret.check(Secret(text))
    }
}
