/// Claims that no token of this sign-in has (OpenID Connect Core 1.0, section 3.1.3.7; RFC 7519, section 4.1).
extension TokenGroup {
    static let names = TokenGroup(
        name: "iss and sub",
        tokens: [
            .claim("iss", "\"https://id.example/\"", .issuer), .claim("iss", "\"https://ID.example\"", .issuer),
            .claim("iss", "\"http://id.example\"", .issuer), .claim("iss", "\"https://id.example:443\"", .issuer),
            .claim("iss", "\"https://id.example.evil.example\"", .issuer), .claim("iss", "\"id.example\"", .issuer),
            .claim("iss", "\" https://id.example\"", .issuer), .claim("iss", "\"https://id.example\\u200b\"", .issuer),
            .claim("iss", "\"\"", .issuer), .claim("iss", nil, .claims), .claim("iss", "null", .claims),
            .claim("iss", "7", .claims), .claim("iss", "[\"https://id.example\"]", .claims),
            .claim("iss", "\"https://id.example\\u0000\"", .object),
            .claim("sub", nil, .claims), .claim("sub", "null", .claims), .claim("sub", "7", .claims),
            .claim("sub", "true", .claims), .claim("sub", "[\"7\"]", .claims), .claim("sub", "\"\"", .subject),
            .claim("sub", "\"\(String(repeating: "x", count: 256))\"", .subject),
            .claim("sub", "\"\(String(repeating: "x", count: 4096))\"", .subject), .claim("sub", "\"é\"", .subject),
            .claim("sub", "\"a\\u0000b\"", .object), .claim("sub", "\"a\\nb\"", .subject),
            .claim("sub", "\"\\u007f\"", .subject),
        ])

    static let audiences = TokenGroup(
        name: "aud and azp",
        tokens: [
            .claim("aud", "\"other\"", .audience), .claim("aud", "\"shiftlog \"", .audience),
            .claim("aud", "\"SHIFTLOG\"", .audience), .claim("aud", "\"\"", .audience), .claim("aud", "[]", .audience),
            .claim("aud", "[\"other\"]", .audience), .claim("aud", "\"shiftlog other\"", .audience),
            .claim("aud", nil, .claims), .claim("aud", "null", .claims), .claim("aud", "7", .claims),
            .claim("aud", "{\"shiftlog\":1}", .claims), .claim("aud", "[\"shiftlog\",7]", .claims),
            .claim("aud", "[[\"shiftlog\"]]", .claims), .claim("aud", "[\"shiftlog\",null]", .claims),
            .claim("aud", "[\"other\",\"shiftlog\"]", .otherAudiences),
            .claim("aud", "[\"shiftlog\",\"shiftlog\"]", .otherAudiences),
            .claim("aud", "[\"other\",\"shiftlog\"]", .otherAudiences, with: ["azp": "null"]),
            .claim("aud", "[\"other\",\"shiftlog\"]", .party, with: ["azp": "\"other\""]),
            .claim("azp", "\"other\"", .party), .claim("azp", "\"\"", .party), .claim("azp", "7", .claims),
            .claim("azp", "[\"shiftlog\"]", .claims),
        ])

    static let times = TokenGroup(
        name: "exp, iat and nbf",
        tokens: [
            .time("exp", -60, .expired), .time("exp", -60.5, .expired), .time("exp", -3600, .expired),
            .claim("exp", "0", .expired), .claim("exp", "1", .expired), .claim("exp", "-0.0", .expired),
            .claim("exp", "-1", .time), .claim("exp", "-9999999999", .time), .claim("exp", "253402300800", .time),
            .claim("exp", "1e300", .time), .claim("exp", "99999999999999999999", .time),
            .time("exp", 300, .time, factor: 1000), .claim("exp", "1e400", .claims), .claim("exp", nil, .claims),
            .claim("exp", "null", .claims), .claim("exp", "true", .claims), .claim("exp", "\"9999999999\"", .claims),
            .claim("exp", "\"\"", .claims), .claim("exp", "[9999999999]", .claims), .claim("exp", "NaN", .claims),
            .claim("exp", "Infinity", .claims), .claim("exp", "0x7fffffff", .claims),
            .claim("exp", "+9999999999", .claims), .claim("exp", "9999999999.", .claims),
            .time("iat", 61, .early), .time("iat", 60.5, .early), .time("iat", 86_400, .early),
            .time("iat", 0, .time, factor: 1000), .claim("iat", "-1", .time), .claim("iat", "253402300800", .time),
            .claim("iat", nil, .claims), .claim("iat", "null", .claims), .claim("iat", "\"0\"", .claims),
            .claim("iat", "1e400", .claims),
            .time("nbf", 61, .early), .time("nbf", 60.5, .early), .time("nbf", 0, .time, factor: 1000),
            .claim("nbf", "-1", .time), .claim("nbf", "\"0\"", .claims), .claim("nbf", "false", .claims),
            .claim("nbf", "{}", .claims),
        ])

    static let signIns = TokenGroup(
        name: "nonce and at_hash",
        tokens: [
            .claim("nonce", nil, .claims), .claim("nonce", "null", .claims), .claim("nonce", "\"\"", .nonce),
            .claim("nonce", "7", .claims), .claim("nonce", "\"other\"", .nonce),
            .claim("nonce", "\"\(String(repeating: "A", count: 43))\"", .nonce),
            changed("nonce in a list", .claims) { "[\($0)]" },
            changed("nonce without its last character", .nonce) { $0.dropLast(2) + "\"" },
            changed("nonce with a space", .nonce) { $0.dropLast() + " \"" },
            changed("nonce with an invisible character", .nonce) { $0.dropLast() + "\\u200b\"" },
            changed("nonce as an object", .claims) { "{\"nonce\":\($0)}" },
            // The right one is the first half of the digest of `at`: `sda5G2fCr6XjIpiNlGJjjQ`.
            .claim("at_hash", "\"sda5G2fCr6XjIpiNlGJjjg\"", .hash), .claim("at_hash", "\"\"", .hash),
            .claim("at_hash", "\"sda5G2fCr6XjIpiNlGJjjQ==\"", .hash),
            .claim("at_hash", "\"NU3fih73nbqYf4FcIrS67g\"", .hash),
            .claim("at_hash", "\"sda5G2fCr6XjIpiNlGJjjTVN34oe9526mH-BXCK0uu4\"", .hash),
            .claim("at_hash", "7", .claims), .claim("at_hash", "[\"sda5G2fCr6XjIpiNlGJjjQ\"]", .claims),
            .claim("at_hash", "\"other\"", .hash, with: ["atHash": "\"sda5G2fCr6XjIpiNlGJjjQ\""]),
        ])

    /// Texts of claims that are no plain JSON object, or say something twice.
    static let claimForms = TokenGroup(
        name: "JSON of the claims",
        tokens: [
            .payload("sub is there twice", .object) { $0.dropLast() + #","sub":"another"}"# },
            .payload("sub is there twice, once escaped", .object) { $0.dropLast() + #","s\u0075b":"another"}"# },
            .payload("nonce is there twice", .object) { #"{"nonce":"x","# + $0.dropFirst() },
            .payload("exp is there twice", .object) { $0.dropLast() + #","exp":9999999999}"# },
            .payload("a member of an unknown claim is there twice", .object) {
                $0.dropLast() + #","x":{"a":1,"a":2}}"#
            },
            .payload("nothing", .object) { _ in "" }, .payload("a list", .object) { "[\($0)]" },
            .payload("a text", .object) { _ in "\"text\"" }, .payload("a number", .object) { _ in "7" },
            .payload("null", .object) { _ in "null" }, .payload("an empty object", .claims) { _ in "{}" },
            .payload("half an object", .claims) { String($0.dropLast()) },
            .payload("an object and more", .claims) { $0 + "x" },
            .payload("two objects", .claims) { $0 + $0 }, .payload("a space before it", .object) { " " + $0 },
            .payload("a byte order mark before it", .object) { "\u{FEFF}" + $0 },
            .payload("a comma after the last claim", .object) { $0.dropLast() + ",}" },
            .payload("a comment", .claims) { "{/* */" + $0.dropFirst() },
            .payload("single quotes", .claims) { $0.replacing("\"", with: "'") },
            .payload("deeper than 64", .object) {
                $0.dropLast() + ",\"x\":" + String(repeating: "[", count: 65) + String(repeating: "]", count: 65) + "}"
            },
            .payload("another token", .object) { _ in "eyJhbGciOiJub25lIn0.e30." },
            .payload("names in capitals", .claims) { $0.replacing("\"iss\"", with: "\"ISS\"") },
        ])

    private static func changed(
        _ name: String, _ refusal: TokenRefusal, _ nonce: @escaping @Sendable (String) -> String
    ) -> IssuedToken {
        IssuedToken(name: name, refusal: refusal) { $0.claims["nonce"] = $0.claims["nonce"].map(nonce) }
    }
}
