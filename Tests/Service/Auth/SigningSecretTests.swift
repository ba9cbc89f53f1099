import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

struct SigningSecretTests {
    @Test(
        arguments: [
            ("short", .short(bytes: 5)), ("", .short(bytes: 0)),
            ("0123456789012345678901234567890", .short(bytes: 31)),
            ("changeme-changeme-changeme-changeme-changeme!", .placeholder),
            ("change-me-to-something-long-and-random-please", .placeholder),
            ("my-secret-pass-word-no-one-has-ever-thought-of", .placeholder),
            ("CHANGE_ME_CHANGE_ME_CHANGE_ME_CHANGE_ME", .repetition),
            ("shiftlog-default-signing-secret-key!", .placeholder),
            ("your-256-bit-secret-your-256-bit-secret!!", .placeholder),
            ("qwertyuiopasdfghjklzxcvbnm1234567890", .placeholder),
            ("Passw0rd1Passw0rd2Passw0rd3Passw0rd4", .placeholder),
            ("change-this-to-a-long-random-string-please", .placeholder),
            ("your-256-bit-key-goes-here-0000001", .placeholder), ("abcdefghijklmnopqrstuvwxyz012345", .placeholder),
            ("P@ssw0rd-P@ssw0rd-P@ssw0rd-12345678", .placeholder),
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", .repetition),
            ("abababababababababababababababababababab", .repetition),
            ("0123456789012345678901234567890123456789", .repetition),
            ("3f7a9c1e5b2d80463f7a9c1e5b2d8046", .repetition), ("deadbeefdeadbeefdeadbeefdeadbeef", .repetition),
            ("00000000000000000000000000000001", .repetition),
            ("98765432109876543210987654321098765432", .repetition),
            // MD5 of nothing, SHA-1 of an empty line, SHA-256 of nothing, SHA-256 of 'secret'.
            ("d41d8cd98f00b204e9800998ecf8427e", .placeholder),
            ("ADC83B19E793491B1C6EA0FD8B46CD9F32E592FC", .placeholder),
            ("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", .placeholder),
            ("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", .placeholder),
            ("2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b", .placeholder),
        ] as [(String, WeakSecretError)])
    func `a secret that can be guessed is refused`(text: String, reason: WeakSecretError) {
        #expect(throws: reason) { try SigningSecret.check(Secret(text)) }
    }

    @Test func `encodings of random bytes are accepted`() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<200 {
            let bytes = Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
            let hexadecimal = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            for text in [hexadecimal, hexadecimal.uppercased(), bytes.base64EncodedString()] {
                try SigningSecret.check(Secret(text))
            }
        }
    }

    @Test(arguments: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "Xk2vQ9rT-bL7mZ4wJ_pN8cH3yF6sD1gK"])
    func `another long one is accepted`(text: String) throws {
        try SigningSecret.check(Secret(text))
    }
}
