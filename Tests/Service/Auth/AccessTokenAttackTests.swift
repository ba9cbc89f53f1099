import Crypto
import Foundation
import StrataDomain
import Testing

@testable import StrataService

/// Attacks that the JWT library alone accepts, and those of RFC 8725: each must be 401.
@Suite struct AccessTokenAttackTests {
    private func verify(_ token: String) async throws {
        _ = try await Sample.accessTokens().verify(token, at: Sample.now)
    }

    private func expectRefused(_ token: String, _ comment: Comment? = nil) async throws {
        let tokens = try await Sample.accessTokens()
        let error = await #expect(throws: ServiceError.self, comment) {
            try await tokens.verify(token, at: Sample.now)
        }
        #expect(error?.problem.status == 401, comment)
    }

    @Test func `the forger's own token is accepted when nothing is wrong with it`() async throws {
        try await verify(try Forgery().token())
    }

    @Test(arguments: [
        #"{"alg":"none","kid":"KID","typ":"at+jwt"}"#,
        #"{"alg":"None","kid":"KID","typ":"at+jwt"}"#,
        #"{"alg":"RS256","kid":"KID","typ":"at+jwt"}"#,
        #"{"alg":"HS256","kid":"KID","typ":"at+jwt"}"#,
        #"{"alg":"es256","kid":"KID","typ":"at+jwt"}"#,
        #"{"alg":"ES256 ","kid":"KID","typ":"at+jwt"}"#,
        #"{"alg":null,"kid":"KID","typ":"at+jwt"}"#,
        #"{"alg":["ES256"],"kid":"KID","typ":"at+jwt"}"#,
        #"{"kid":"KID","typ":"at+jwt"}"#,
        #"{"alg":"ES256","kid":"unknown","typ":"at+jwt"}"#,
        #"{"alg":"ES256","kid":"","typ":"at+jwt"}"#,
        #"{"alg":"ES256","kid":null,"typ":"at+jwt"}"#,
        #"{"alg":"ES256","kid":7,"typ":"at+jwt"}"#,
        #"{"alg":"ES256","kid":"../../etc/passwd","typ":"at+jwt"}"#,
        #"{"alg":"ES256","kid":"' OR 1=1 --","typ":"at+jwt"}"#,
        #"{"alg":"ES256","typ":"at+jwt"}"#,
        #"{"alg":"ES256","kid":"KID","typ":"at+jwt","crit":["x"],"x":1}"#,
        #"{"alg":"ES256","kid":"KID","typ":"at+jwt","crit":[]}"#,
        #"{"alg":"ES256","kid":"KID","typ":"at+jwt","crit":null}"#,
        #"{"alg":"ES256","kid":"KID","typ":"at+jwt","crit":"b64","b64":false}"#,
        #"{"alg":"ES256","kid":"KID","typ":"JWT"}"#,
        #"{"alg":"ES256","kid":"KID","typ":"at+jwt2"}"#,
        #"{"alg":"ES256","kid":"KID","typ":"text/at+jwt"}"#,
        #"{"alg":"ES256","kid":"KID","typ":""}"#,
        #"{"alg":"ES256","kid":"KID"}"#,
        #"[]"#, #""ES256""#, #"null"#, #"{"#, "", "\u{FEFF}{}",
        // Two members with one name: another reader takes the other one.
        #"{"alg":"ES256","alg":"ES256","kid":"KID","typ":"at+jwt"}"#,
        #"{"alg":"ES256","kid":"KID","kid":"other","typ":"at+jwt"}"#,
        #"{"alg":"ES256","\u0061lg":"none","kid":"KID","typ":"at+jwt"}"#,
        #"{"alg":"ES256","kid":"KID","typ":"at+jwt","x":{"y":1,"y":2}}"#,
        "\u{FEFF}{\"alg\":\"ES256\",\"kid\":\"KID\",\"typ\":\"at+jwt\"}",
        #" {"alg":"ES256","kid":"KID","typ":"at+jwt"}"#,
    ])
    func `a header that is not exactly ours is refused although the signature is good`(header: String) async throws {
        var forgery = try Forgery()
        forgery.header = header.replacing("KID", with: forgery.key.shown.id)
        try await expectRefused(try forgery.token())
    }

    @Test(arguments: ["at+jwt", "AT+JWT", "at+JWT", "application/at+jwt", "Application/AT+jwt"])
    func `the type compares without case, with application in front or not`(type: String) async throws {
        var forgery = try Forgery()
        forgery.header = #"{"alg":"ES256","kid":"\#(forgery.key.shown.id)","typ":"\#(type)"}"#
        try await verify(try forgery.token())
    }

    @Test(arguments: [
        Forgery.payload(iss: "\"https://evil.example\""), Forgery.payload(iss: "null"), Forgery.payload(iss: "[]"),
        Forgery.payload(iss: "\"\(Sample.issuer)/\""), Forgery.payload(aud: "\"somebody\""),
        Forgery.payload(aud: "[]"), Forgery.payload(aud: "[\"somebody\"]"), Forgery.payload(aud: "null"),
        Forgery.payload(aud: "\"\""),
        // No end, an end that is none, and numbers that would trap as integers.
        Forgery.payload(exp: nil), Forgery.payload(exp: "null"), Forgery.payload(exp: "\"1795252500\""),
        Forgery.payload(exp: "1e300"), Forgery.payload(exp: "1e999"), Forgery.payload(exp: "-1"),
        Forgery.payload(exp: "-1e300"), Forgery.payload(exp: "NaN"), Forgery.payload(exp: "Infinity"),
        Forgery.payload(exp: "99999999999999999999"), Forgery.payload(exp: "0"), Forgery.payload(exp: "true"),
        Forgery.payload(exp: "1795251600"), Forgery.payload(exp: "1795251599.999"), Forgery.payload(exp: "{}"),
        Forgery.payload(iat: nil), Forgery.payload(iat: "1795251606"), Forgery.payload(iat: "-5"),
        Forgery.payload(iat: "1e300"), Forgery.payload(iat: "\"now\""), Forgery.payload(iat: "1795252500"),
        Forgery.payload(nbf: "1795251606"), Forgery.payload(nbf: "1e300"), Forgery.payload(nbf: "-1"),
        Forgery.payload(nbf: "\"x\""),
        Forgery.payload(sub: "\"\""), Forgery.payload(sub: "7"), Forgery.payload(sid: nil),
        Forgery.payload(sid: "\"\""), Forgery.payload(jti: "\"\""), Forgery.payload(clientId: nil),
        Forgery.payload(clientId: "\"\""), "\u{FEFF}" + Forgery.payload(),
        "{\"sub\":\"user-2\"," + Forgery.payload().dropFirst(),
        "{\"s\\u0075b\":\"user-2\"," + Forgery.payload().dropFirst(),
        "", "null", "[]", "{}", "{", "\"text\"", "{\"exp\":",
    ])
    func `claims that do not hold are refused although the signature is good`(payload: String) async throws {
        var forgery = try Forgery()
        forgery.payload = payload
        try await expectRefused(try forgery.token())
    }

    @Test(arguments: [
        Forgery.payload(iat: "1795251604", nbf: "1795251604"), Forgery.payload(exp: "1795251600.5"),
        Forgery.payload(aud: "[\"somebody\",\"\(Sample.audience)\"]"),
    ])
    func `the leeway, a fraction of a second and one audience of several are accepted`(payload: String) async throws {
        var forgery = try Forgery()
        forgery.payload = payload
        try await verify(try forgery.token())
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian])
    func `a header or a payload in another encoding is refused although the signature is good`(
        encoding: String.Encoding
    ) async throws {
        let forgery = try Forgery()
        let plain = [forgery.header, forgery.payload].map { Data($0.utf8) }
        for place in 0..<2 {
            var parts = plain
            parts[place] = try #require([forgery.header, forgery.payload][place].data(using: encoding))
            let signed = parts.map { Base64URL.encode($0) }.joined(separator: ".")
            let signature = try forgery.key.privateKey.signature(for: Data(signed.utf8))
            try await expectRefused(signed + "." + Base64URL.encode(signature.rawRepresentation))
        }
    }

    @Test func `a signature by a key that is not ours is refused under our key id`() async throws {
        var forgery = try Forgery(secret: Secret("the attacker's own secret, long enough"))
        forgery.header = try Forgery().header
        try await expectRefused(try forgery.token())
    }

    @Test func `the public key as an HMAC secret signs nothing`() async throws {
        let forgery = try Forgery()
        for algorithm in ["HS256", "ES256"] {
            let header = #"{"alg":"\#(algorithm)","kid":"\#(forgery.key.shown.id)","typ":"at+jwt"}"#
            let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(forgery.payload.utf8)
            let key = SymmetricKey(data: Data(forgery.key.privateKey.publicKey.pemRepresentation.utf8))
            let code = Data(HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: key))
            try await expectRefused(signed + "." + Base64URL.encode(code))
            try await expectRefused(signed + "." + Base64URL.encode(code + code))
        }
    }

    @Test func `other spellings of the signature's bytes are refused`() async throws {
        let token = try Forgery().token()
        let place = try #require(token.lastIndex(of: "."))
        let head = String(token[...place])
        let signature = String(token[token.index(after: place)...])
        try await expectRefused(token + "=")
        try await expectRefused(token + "==")
        // 64 bytes leave four bits of the last character without meaning.
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(signature.last.flatMap(alphabet.firstIndex))
        for other in last + 1..<last + 16 {
            try await expectRefused(head + signature.dropLast() + String(alphabet[other]))
        }
        var standard = token
        var attempts = 0
        while !(standard.contains("-") || standard.contains("_")), attempts < 100 {
            standard = try Forgery().token()
            attempts += 1
        }
        let translated = standard.replacing("-", with: "+").replacing("_", with: "/")
        #expect(translated != standard)
        try await expectRefused(translated)
    }

    @Test func `zero signatures, DER signatures and no signature are refused`() async throws {
        let forgery = try Forgery()
        let signed = Base64URL.encode(forgery.header.utf8) + "." + Base64URL.encode(forgery.payload.utf8)
        let der = try forgery.key.privateKey.signature(for: Data(signed.utf8)).derRepresentation
        for signature in [
            Data(), Data(count: 64), Data(count: 63), Data(count: 65), der, Data(repeating: 255, count: 64),
        ] {
            try await expectRefused(signed + "." + Base64URL.encode(signature))
        }
    }

    @Test(arguments: [
        "", ".", "..", "...", "a.b", "a.b.c", "a.b.c.d", " ", "\u{0}", "Bearer x", "🗝.🗝.🗝",
        String(repeating: ".", count: 8192), String(repeating: "A", count: 100_000),
    ])
    func `text that is not a token is refused at any length`(text: String) async throws {
        try await expectRefused(text)
    }

    @Test func `a good token is refused with anything around it, and with a fourth part`() async throws {
        let token = try Forgery().token()
        for text in [" \(token)", "\(token) ", "\(token)\n", "\(token).", ".\(token)", "\(token).e30"] {
            try await expectRefused(text)
        }
    }

    @Test func `a good token above 8 KiB is refused`() async throws {
        var forgery = try Forgery()
        forgery.payload = String(forgery.payload.dropLast()) + ",\"x\":\"\(String(repeating: "x", count: 8192))\"}"
        try await expectRefused(try forgery.token())
    }

    @Test func `a token of the same key for another use is refused`() async throws {
        var forgery = try Forgery()
        forgery.header = #"{"alg":"ES256","kid":"\#(forgery.key.shown.id)","typ":"id+jwt"}"#
        try await expectRefused(try forgery.token())
    }
}
