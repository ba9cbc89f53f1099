import FoundationEssentials
import JWTKit
import StrataHTTP
import Testing

@testable import StrataService

/// The public test vectors of github.com/C2SP/wycheproof, which are not part of this repository. `STRATA_WYCHEPROOF` names a checkout:
///
///     STRATA_WYCHEPROOF=/path/to/wycheproof Scripts/test --filter WycheproofTests
///
/// Keys go through `OpenIDKeys` and tokens through `IDToken`, as in a sign-in. The payloads are no claims, so a token counts as accepted
/// once its signature is. No vector may be accepted that is invalid or merely acceptable. A valid one may be refused only where id tokens
/// must refuse its kind: another algorithm, a signature in DER, another salt or hash than those of the algorithm.
@Suite(
    .serialized,
    .enabled(if: Wycheproof.folder != nil, "STRATA_WYCHEPROOF names no checkout of github.com/C2SP/wycheproof"))
struct WycheproofTests {
    @Test(arguments: ["json_web_signature", "json_web_key", "json_web_crypto", "json_web_encryption"])
    func `a token is accepted when it is valid and has an algorithm of id tokens`(file: String) async throws {
        var score = Score(file)
        for group in try Wycheproof.groups(file) {
            let keys = try #require(try group.keySet().flatMap { OpenIDKeys($0) })
            for vector in group.tests {
                let isAccepted = await accepts(vector.token, keys)
                score.count(vector, isAccepted: isAccepted, isSpoken: speaks(vector.token))
            }
        }
        score.report()
    }

    @Test(
        arguments: [
            (.es256, "ecdsa_secp256r1_sha256_p1363"), (.rs256, "rsa_signature_2048_sha256"),
            (.rs256, "rsa_signature_3072_sha256"), (.rs256, "rsa_signature_4096_sha256"),
            (.ps256, "rsa_pss_2048_sha256_mgf1_32"), (.ps256, "rsa_pss_3072_sha256_mgf1_32"),
            (.ps256, "rsa_pss_4096_sha256_mgf1_32"), (.edDSA, "ed25519"),
        ] as [(OpenIDKeys.Algorithm, String)])
    func `a signature is accepted when it is valid`(algorithm: OpenIDKeys.Algorithm, file: String) async throws {
        try await verify(file, algorithm, isSpoken: true)
    }

    @Test(
        arguments: [
            (.es256, "ecdsa_secp256r1_sha256"), (.es256, "ecdsa_secp256r1_sha512_p1363"),
            (.rs256, "rsa_signature_2048_sha512"), (.rs256, "rsa_pss_2048_sha256_mgf1_32"),
            (.ps256, "rsa_pss_2048_sha256_mgf1_0"), (.ps256, "rsa_pss_2048_sha384_mgf1_48"),
            (.ps256, "rsa_signature_2048_sha256"),
        ] as [(OpenIDKeys.Algorithm, String)])
    func `a signature of another kind is refused, also when it is valid`(
        algorithm: OpenIDKeys.Algorithm, file: String
    ) async throws {
        try await verify(file, algorithm, isSpoken: false)
    }

    private func verify(_ file: String, _ algorithm: OpenIDKeys.Algorithm, isSpoken: Bool) async throws {
        var score = Score("\(file) as \(algorithm.rawValue)")
        for group in try Wycheproof.groups(file) {
            let keys = try #require(try group.keySet().flatMap { OpenIDKeys($0) })
            let key = try #require(await keys.verifier(id: nil, algorithm), "a key of \(file) is not read")
            // Some vectors are invalid in a file of another kind because they are of this one.
            for vector in group.tests where isSpoken || vector.result == "valid" {
                let (signature, text) = (try #require(vector.signature), try #require(vector.text))
                let isAccepted = (try? key.verify(signature, signs: text)) == true
                score.count(vector, isAccepted: isAccepted, isSpoken: isSpoken)
            }
        }
        score.report()
    }

    private func accepts(_ text: String?, _ keys: OpenIDKeys) async -> Bool {
        guard let text, let token = try? IDToken(text),
            let key = await keys.verifier(id: token.keyId, token.algorithm)
        else { return false }
        return (try? token.checkSignature(key)) != nil
    }

    /// Whether the header names an algorithm of id tokens.
    private func speaks(_ text: String?) -> Bool {
        guard let head = text?.prefix(while: { $0 != "." }), let bytes = Base64URL.decode(head),
            let header = try? JSONDecoder().decode(SignedToken.Header.self, from: bytes)
        else { return false }
        return OpenIDKeys.Algorithm(rawValue: header.alg) != nil
    }

    /// How the vectors of a file end.
    private struct Score {
        private let name: String
        private var (accepted, refused, foreign, acceptable) = (0, 0, 0, 0)
        private var wrong: [String] = []

        init(_ name: String) { self.name = name }

        mutating func count(_ vector: Wycheproof.Vector, isAccepted: Bool, isSpoken: Bool) {
            switch (vector.result, isAccepted) {
            case ("valid", true) where isSpoken: accepted += 1
            case ("valid", false) where !isSpoken: foreign += 1
            case ("invalid", false): refused += 1
            case ("acceptable", false): acceptable += 1
            default:
                let end = isAccepted ? "accepted" : "refused"
                wrong.append("\(vector.tcId), \(vector.comment), is \(vector.result), and \(end)")
            }
        }

        func report() {
            print(
                "wycheproof \(name): \(accepted) valid accepted, \(foreign) valid of another kind refused, \(refused) invalid",
                "refused, \(acceptable) acceptable refused, \(wrong.count) wrong")
            #expect(accepted + refused + foreign + acceptable > 0, "the file has no vector")
            for sentence in wrong { Issue.record("\(name): \(sentence)") }
        }
    }
}
