import Crypto
import FoundationEssentials

/// Headers, segments and responses that a provider must not send (RFC 7515, RFC 8725).
extension TokenGroup {
    static let headers = TokenGroup(
        name: "header",
        tokens: [
            .header("alg", "\"none\"", .algorithm), .header("alg", "\"None\"", .algorithm),
            .header("alg", "\"nOnE\"", .algorithm), .header("alg", "\"\"", .algorithm),
            .header("alg", "\"HS256\"", .algorithm), .header("alg", "\"ES384\"", .algorithm),
            .header("alg", "\"RS1\"", .algorithm), .header("alg", "\"ES256K\"", .algorithm),
            .header("alg", "\"es256\"", .algorithm), .header("alg", "\"ES256 \"", .algorithm),
            .header("alg", "\"RSA-OAEP\"", .algorithm), .header("alg", "\"RS256\"", .key),
            .header("alg", "\"PS256\"", .key), .header("alg", "\"EdDSA\"", .key), .header("alg", nil, .form),
            .header("alg", "null", .form), .header("alg", "7", .form), .header("alg", "[\"ES256\"]", .form),
            .header("\\u0061lg", "\"none\"", .form),
            .header("kid", "\"other\"", .key), .header("kid", "\"\"", .key), .header("kid", "\"K\"", .key),
            .header("kid", "\"../../../dev/null\"", .key), .header("kid", "\"k' OR '1'='1\"", .key),
            .header("kid", "7", .form), .header("kid", "[\"k\"]", .form),
            .header("kid", "\"\(String(repeating: "k", count: 16_384))\"", .length),
            .header("crit", "[\"exp\"]", .form), .header("crit", "[]", .form), .header("crit", "null", .form),
            .header("crit", "[\"b64\"]", .form, with: ["b64": "false"]), .header("b64", "false", .form),
            .header("b64", "true", .form),
            .header("typ", "\"at+jwt\"", .type), .header("typ", "\"logout+jwt\"", .type),
            .header("typ", "\"secevent+jwt\"", .type), .header("typ", "\"dpop+jwt\"", .type),
            .header("typ", "\"\"", .type), .header("typ", "7", .form),
            stranger("jku", "\"https://evil.example/keys\""), stranger("x5u", "\"https://evil.example/chain\""),
            stranger("jwk", try? attacker.entry()), stranger("x5c", "[\"MIIB\"]"),
            mac("the PEM file of the key") { keys in Data(keys.curve.publicKey.pemRepresentation.utf8) },
            mac("the DER form of the key") { keys in keys.curve.publicKey.derRepresentation },
            mac("the point of the key") { keys in keys.curve.publicKey.rawRepresentation },
            mac("the point of the key and its prefix") { keys in keys.curve.publicKey.x963Representation },
            mac("the entry of the key") { keys in Data(try keys.entry().utf8) },
            mac("the set of keys") { keys in Data(try IssuedToken.valid.keySet(keys).utf8) },
            mac("the PEM file of an RSA key") { keys in Data(try keys.pem().utf8) },
            mac("nothing") { _ in Data() }, mac("the secret of the client") { _ in Data("secret".utf8) },
        ])

    private static let attacker = ProviderKeys()

    /// A token of an attacker whose header brings the key, or says where it is.
    private static func stranger(_ name: String, _ json: String?) -> IssuedToken {
        IssuedToken(
            name: "header: \(name) of another key", refusal: .signature, change: { $0.header[name] = json },
            sign: { text, _ in try attacker.signature(.es256, text) })
    }

    /// A token that a public text is the shared secret of.
    private static func mac(
        _ name: String, _ secret: @escaping @Sendable (ProviderKeys) throws -> Data
    ) -> IssuedToken {
        IssuedToken(
            name: "HS256 with \(name)", refusal: .algorithm, change: { $0.header["alg"] = "\"HS256\"" },
            sign: { text, keys in
                Data(HMAC<SHA256>.authenticationCode(for: text, using: SymmetricKey(data: try secret(keys))))
            })
    }

    static let segments = TokenGroup(
        name: "segments",
        tokens: [
            .text("a signature that is left out", .form) { $0.prefix(upTo(2, $0)) + "" },
            .text("no signature and no dot", .form) { String($0.prefix(upTo(2, $0)).dropLast()) },
            .text("alg none without a signature", .form) { token in
                "eyJhbGciOiJub25lIn0" + token.prefix(upTo(2, token)).drop { $0 != "." }
            },
            .text("four segments", .form) { $0 + ".AAAA" },
            .text("five segments, as of a JWE", .form) { $0 + ".AAAA.AAAA" },
            .text("six segments", .form) { $0 + ".AAAA.AAAA.AAAA" }, .text("a dot at the end", .form) { $0 + "." },
            .text("a dot at the beginning", .form) { "." + $0 },
            .text("two dots in a row", .form) { $0.replacing(".", with: "..") },
            .text("nothing", .form) { _ in "" }, .text("dots alone", .form) { _ in ".." },
            .text("16,384 dots", .form) { _ in String(repeating: ".", count: 16_384) },
            .text("a space before it", .form) { " " + $0 }, .text("a space after it", .form) { $0 + " " },
            .text("a line feed after it", .form) { $0 + "\n" },
            .text("a line feed before the signature", .form) { token in
                token.prefix(upTo(2, token)) + "\n" + token.dropFirst(upTo(2, token))
            },
            .text("a tab in the header", .form) { $0.prefix(4) + "\t" + $0.dropFirst(4) },
            .text("padding after the header", .form) { changed($0, 0) { $0 + "==" } },
            .text("padding after the claims", .form) { changed($0, 1) { $0 + "=" } },
            .text("padding after the signature", .form) { changed($0, 2) { $0 + "==" } },
            .text("other bits after the header", .form) { changed($0, 0, withOtherBits) },
            .text("other bits after the claims", .form) { changed($0, 1, withOtherBits) },
            .text("other bits after the signature", .form) { changed($0, 2, withOtherBits) },
            .text("one character more in the signature", .form) { $0 + "AAA" },
            .text("plus in the signature", .form) { changed($0, 2) { "+" + $0.dropFirst() } },
            .text("slash in the signature", .form) { changed($0, 2) { "/" + $0.dropFirst() } },
            .text("a percent escape", .form) { $0.replacing(".", with: "%2E") },
            .text("a letter that looks the same", .form) { changed($0, 0) { "\u{0435}" + $0.dropFirst() } },
            .text("the JSON serialization", .form) { token in
                let parts = token.split(separator: ".")
                return #"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#
            },
            .text("Bearer before it", .form) { "Bearer " + $0 }, .text("quotes around it", .form) { "\"\($0)\"" },
            .text("a header that is no object", .form) { changed($0, 0) { _ in "W10" } },
            .text("a header that is no JSON", .form) { changed($0, 0) { _ in "AAAA" } },
            .text("a header with another one behind it", .form) { changed($0, 0) { _ in "eyJhbGciOiJFUzI1NiJ9e30" } },
            .text("a header with alg twice", .form) {
                changed($0, 0) { _ in "eyJhbGciOiJub25lIiwiYWxnIjoiRVMyNTYifQ" }
            },
            .claim("padding", "\"\(String(repeating: "x", count: 16_384))\"", .length),
            .claim("padding", "\"\(String(repeating: "x", count: 1_000_000))\"", .tooLarge),
        ])

    /// How many characters there are up to the dot with this number, which is included.
    private static func upTo(_ dots: Int, _ token: String) -> Int {
        token.split(separator: ".", omittingEmptySubsequences: false).prefix(dots).reduce(0) { $0 + $1.count + 1 }
    }

    private static func changed(_ token: String, _ place: Int, _ change: (String) -> String) -> String {
        var parts = token.split(separator: ".").map(String.init)
        parts[place] = change(parts[place])
        return parts.joined(separator: ".")
    }

    /// The same bytes in base64url, with a bit after the last one.
    private static func withOtherBits(_ part: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard part.count % 4 > 1, let last = part.last, let place = alphabet.firstIndex(of: last) else {
            return part + "="
        }
        return part.dropLast() + String(alphabet[place ^ 1])
    }

    static let responses = TokenGroup(
        name: "response of the token endpoint",
        tokens: [
            .response(#"{"token_type":"Bearer","access_token":"at"}"#, .response),
            .response(#"{"access_token":"at","id_token":null}"#, .response),
            .response(#"{"access_token":"at","id_token":7}"#, .response),
            .response(#"{"access_token":"at","id_token":[TOKEN]}"#, .response),
            .response(#"{"access_token":"at","id_token":{"a":TOKEN}}"#, .response),
            .response(#"{"id_token":TOKEN,"id_token":"a.b.c"}"#, .response),
            .response(#"{"id_token":"a.b.c","id_\u0074oken":TOKEN}"#, .response),
            .response(#"[{"id_token":TOKEN}]"#, .response), .response("TOKEN", .response), .response("", .response),
            .response(#"{"id_token":TOKEN}{}"#, .response), .response(#"{"id_token":TOKEN,}"#, .response),
            .response(#"{"ID_TOKEN":TOKEN}"#, .response), .response(#"{"access_token":7,"id_token":TOKEN}"#, .response),
            .response(#"{"id_token":TOKEN,"x":"\u0000"}"#, .response),
            .response("access_token=at&id_token=TOKEN", .response),
        ])
}
