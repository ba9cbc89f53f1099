import FoundationEssentials

/// Tokens at the inner side of each border, and tokens with what a client must pass over.
extension TokenGroup {
    static let allowed = TokenGroup(
        name: "what the standards allow",
        tokens: [
            .valid,
            .claim("sub", "\"\(String(repeating: "x", count: 255))\"", nil), .claim("sub", "\"a b~!\"", nil),
            .claim("aud", "[\"shiftlog\"]", nil), .claim("azp", "\"shiftlog\"", nil), .claim("azp", "null", nil),
            .claim("aud", "[\"other\",\"shiftlog\"]", nil, with: ["azp": "\"shiftlog\""]),
            .time("exp", -59, nil), .time("exp", -59.5, nil), .claim("exp", "253402300799", nil),
            .claim("exp", "2.5e11", nil), .time("iat", 59, nil), .time("iat", 60, nil), .time("iat", -86_400, nil),
            .claim("iat", "0", nil), .time("nbf", 60, nil), .time("nbf", -60.5, nil), .claim("nbf", "null", nil),
            .claim("at_hash", "\"sda5G2fCr6XjIpiNlGJjjQ\"", nil), .claim("atHash", "\"other\"", nil),
            // It is asked for by no sign-in.
            .time("auth_time", -999_999, nil), .claim("auth_time", "\"yesterday\"", nil),
            .claim("auth_time", "-1", nil),
            .claim("acr", "\"0\"", nil), .claim("email_verified", "false", nil),
            .claim("preferred_username", nil, nil), .claim("preferred_username", "\"../root\"", nil),
            .header("kid", nil, nil), .header("typ", "\"JWT\"", nil), .header("typ", "\"jwt\"", nil),
            .header("cty", "\"JWT\"", nil), .header("jku", "\"https://evil.example/keys\"", nil),
            .header("x5u", "\"https://evil.example/chain\"", nil), .header("x5c", "[\"MIIB\"]", nil),
            .header("jwk", try? ProviderKeys().entry(), nil), .header("zip", "\"DEF\"", nil),
            .payload("spaces in the claims", nil) { $0.replacing(",", with: " ,\n") },
            .signature("ES256", nil) { try $1.signature(.es256, $0) },
            .signature("the other one with the same r", nil) { mirrored(try $1.signature(.es256, $0)) },
            .signature("EdDSA", nil, alg: .edDSA) { try $1.signature(.edDSA, $0) },
            .signature("RS256", nil, alg: .rs256) { try $1.signature(.rs256, $0) },
            .signature("PS256", nil, alg: .ps256) { try $1.signature(.ps256, $0) },
            .key("use sig", nil, ["use": "\"sig\""]), .key("key_ops", nil, ["key_ops": "[\"verify\"]"]),
            .key("key_ops for both", nil, ["key_ops": "[\"sign\",\"verify\"]"]),
            .key("alg", nil, ["alg": "\"ES256\""]), .key("unknown members", nil, ["x5t": "\"AAAA\""]),
            .key("null members", nil, ["use": "null", "alg": "null", "key_ops": "null"]),
            .keySet("among others", nil) { keys in
                let others = try [ProviderKeys().entry(.edDSA), ProviderKeys().entry(.es256, ["kid": "\"other\""])]
                return
                    #"{"keys":[7,{"kty":"oct","kid":"k","k":"AAAA"},\#(others.joined(separator: ",")),\#(try keys.entry())]}"#
            },
            .keySet("with a zero before the modulus", nil, alg: .rs256) { keys in
                let modulus = try keys.numbers(.rs256)["n"] ?? Data()
                return #"{"keys":[\#(try keys.entry(.rs256, ["n": ProviderKeys.json([0] + modulus)]))]}"#
            },
            .response(#"{"id_token":TOKEN}"#, nil), .response(#"{"token_type":"N_A","id_token":TOKEN}"#, nil),
        ])
}
