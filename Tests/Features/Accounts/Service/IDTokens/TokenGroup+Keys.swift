import Crypto
import FoundationEssentials

/// Keys that prove nothing (RFC 7517, RFC 7518, RFC 8725), each with a token that it would verify where that can be made.
extension TokenGroup {
    static let keys = TokenGroup(
        name: "numbers of a key",
        tokens: [
            shortRSA,
            exponent("1, and the padded digest as signature", "AQ"), exponent("2", "Ag"), exponent("65536", "AQAA"),
            exponent("0", "AA"), exponent("of 64 bits", "__________8"), exponent("nothing", ""),
            .key("RSA without an exponent", .key, alg: .rs256, ["e": nil]),
            .key("RSA without a modulus", .key, alg: .rs256, ["n": nil]),
            .key("RSA with an empty modulus", .key, alg: .rs256, ["n": "\"\""]),
            .key("RSA with a number as modulus", .key, alg: .rs256, ["n": "65537"]),
            .key("RSA with a modulus that is no base64url", .key, alg: .rs256, ["n": "\"!!!!\""]),
            .key(
                "RSA of 16,384 bits", .key, alg: .rs256,
                ["n": ProviderKeys.json(Data(repeating: 0xFF, count: 2048))]),
            changed("RSA with an even modulus", .rs256, "n") { $0.dropLast() + [0xFE] },
            changed("RSA with half a modulus", .rs256, "n") { $0.prefix(128) },
            .key("P-256 without y", .key, ["y": nil]), .key("P-256 without x", .key, ["x": nil]),
            changed("P-256, a point that is not on the curve", .es256, "y") { $0.dropLast() + [($0.last ?? 0) ^ 1] },
            .key(
                "P-256, the point 0, 0", .key,
                ["x": ProviderKeys.json(Data(count: 32)), "y": ProviderKeys.json(Data(count: 32))]),
            changed("P-256, x with a zero before it", .es256, "x") { [0] + $0 },
            changed("P-256, x without its last byte", .es256, "x") { $0.dropLast() },
            .keySet("P-256, the last byte of x is the first of y", .key) { keys in
                let point = keys.curve.publicKey.rawRepresentation
                let (x, y) = (ProviderKeys.json(point.prefix(31)), ProviderKeys.json(point.dropFirst(31)))
                return #"{"keys":[\#(try keys.entry(.es256, ["x": x, "y": y]))]}"#
            },
            .keySet("P-256, padding after x", .key) { keys in
                let x = Data(keys.curve.publicKey.rawRepresentation.prefix(32)).base64EncodedString()
                return #"{"keys":[\#(try keys.entry(.es256, ["x": "\"\(x)\""]))]}"#
            },
            neutral("0100000000000000000000000000000000000000000000000000000000000000", "the neutral element"),
            neutral(
                "0100000000000000000000000000000000000000000000000000000000000080", "the neutral element with a sign"),
            neutral(
                "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "the neutral element, not reduced"),
            changed("Ed25519, a byte less", .edDSA, "x") { $0.dropLast() },
            changed("Ed25519, a byte more", .edDSA, "x") { $0 + [0] },
            .key("Ed25519 without x", .key, alg: .edDSA, ["x": nil]),
        ])

    static let keyUses = TokenGroup(
        name: "use of a key",
        tokens: [
            .key("use enc", .key, ["use": "\"enc\""]), .key("use SIG", .key, ["use": "\"SIG\""]),
            .key("an empty use", .key, ["use": "\"\""]), .key("use as a list", .key, ["use": "[\"sig\"]"]),
            .key("key_ops sign", .key, ["key_ops": "[\"sign\"]"]), .key("no key_ops", .key, ["key_ops": "[]"]),
            .key("key_ops encrypt", .key, ["key_ops": "[\"encrypt\",\"wrapKey\"]"]),
            .key("key_ops as a text", .key, ["key_ops": "\"verify\""]),
            .key("use enc with key_ops verify", .key, ["use": "\"enc\"", "key_ops": "[\"verify\"]"]),
            .key("use sig with key_ops encrypt", .key, ["use": "\"sig\"", "key_ops": "[\"encrypt\"]"]),
            .key("alg ES384", .key, ["alg": "\"ES384\""]), .key("alg ECDH-ES", .key, ["alg": "\"ECDH-ES\""]),
            .key("alg HS256", .key, ["alg": "\"HS256\""]), .key("an empty alg", .key, ["alg": "\"\""]),
            .key("alg PS256 for RS256", .key, alg: .rs256, ["alg": "\"PS256\""]),
            .key("alg RS256 for PS256", .key, alg: .ps256, ["alg": "\"RS256\""]),
            .key("alg RSA-OAEP", .key, alg: .rs256, ["alg": "\"RSA-OAEP\""]),
            .key("kty RSA of a point", .key, ["kty": "\"RSA\""]), .key("kty ec", .key, ["kty": "\"ec\""]),
            .key("no kty", .key, ["kty": nil]), .key("crv P-384", .key, ["crv": "\"P-384\""]),
            .key("crv secp256k1", .key, ["crv": "\"secp256k1\""]), .key("no crv", .key, ["crv": nil]),
            .key("crv X25519", .key, alg: .edDSA, ["crv": "\"X25519\""]),
            .key("crv Ed448", .key, alg: .edDSA, ["crv": "\"Ed448\""]),
            .key("kty oct", .key, ["kty": "\"oct\"", "k": "\"AAAA\""]),
            IssuedToken(
                name: "key: kty oct for HS256", refusal: .algorithm, change: { $0.header["alg"] = "\"HS256\"" },
                keySet: { _ in #"{"keys":[{"kty":"oct","kid":"k","alg":"HS256","k":"c2VjcmV0"}]}"# }),
        ])

    static let keySets = TokenGroup(
        name: "set of keys",
        tokens: [
            .key("another kid", .key, ["kid": "\"other\""]), .key("no kid", .key, ["kid": nil]),
            .key("a kid that is a number", .key, ["kid": "7"]),
            .keySet("two keys with one kid", .key) { #"{"keys":[\#(try $0.entry()),\#(try ProviderKeys().entry())]}"# },
            .keySet("one key twice", .key) { #"{"keys":[\#(try $0.entry()),\#(try $0.entry())]}"# },
            IssuedToken(
                name: "key: two keys for a token without kid", refusal: .key, change: { $0.header["kid"] = nil },
                keySet: { keys in
                    #"{"keys":[\#(try keys.entry()),\#(try ProviderKeys().entry(.es256, ["kid": "\"other\""]))]}"#
                }),
            .keySet("none", .key) { _ in #"{"keys":[]}"# },
            .keySet("one after a hundred others", .key) { keys in
                #"{"keys":[\#(String(repeating: "7,", count: 100))\#(try keys.entry())]}"#
            },
            .keySet("entries that are none", .key) { _ in #"{"keys":[7,null,"k",[],{},{"kty":7}]}"# },
            .keySet("an entry in a list", .key) { #"{"keys":[[\#(try $0.entry())]]}"# },
            .keySet("a set of 1 MB", .tooLarge) { keys in
                #"{"keys":[\#(try keys.entry())],"x":"\#(String(repeating: "x", count: 1_000_000))"}"#
            },
            .keySet("10,000 keys", .tooLarge) { keys in
                let entry = try keys.entry()
                return #"{"keys":[\#(Array(repeating: entry, count: 10_000).joined(separator: ","))]}"#
            },
            .keySet("no object", .keySet) { "[\(try $0.entry())]" }, .keySet("a key alone", .keySet) { try $0.entry() },
            .keySet("keys that are no list", .keySet) { #"{"keys":\#(try $0.entry())}"# },
            .keySet("keys twice", .keySet) { #"{"keys":[],"keys":[\#(try $0.entry())]}"# },
            .keySet("x of a key twice", .keySet) { keys in
                #"{"keys":[\#(try keys.entry().dropLast()),"x":"AAAA"}]}"#
            },
            .keySet("a byte order mark before it", .keySet) { "\u{FEFF}" + (try IssuedToken.valid.keySet($0)) },
            .keySet("nothing", .keySet) { _ in "" },
            .keySet("a page", .keySet) { _ in "<!doctype html><title>Keys</title>" },
            .keySet("deeper than 64", .keySet) { keys in
                let (open, close) = (String(repeating: "[", count: 65), String(repeating: "]", count: 65))
                return #"{"keys":[\#(try keys.entry())],"x":\#(open)\#(close)}"#
            },
        ])

    private static let shortRSA = IssuedToken(
        name: "key: RSA of 1024 bits", refusal: .key, change: { $0.header["alg"] = "\"RS256\"" },
        sign: { text, keys in try keys.signature(.rs256, text, isShort: true) },
        keySet: { #"{"keys":[\#(try $0.entry(.rs256, isShort: true))]}"# })

    /// With the exponent 1 the padded digest is its own signature.
    private static func exponent(_ name: String, _ text: String) -> IssuedToken {
        IssuedToken(
            name: "key: RSA, exponent \(name)", refusal: .key, change: { $0.header["alg"] = "\"RS256\"" },
            sign: { text, _ in padded(text) },
            keySet: { #"{"keys":[\#(try $0.entry(.rs256, ["e": "\"\(text)\""]))]}"# })
    }

    private static func changed(
        _ name: String, _ algorithm: ProviderKeys.Algorithm, _ member: String,
        _ change: @escaping @Sendable (Data) -> Data
    ) -> IssuedToken {
        .keySet(name, .key, alg: algorithm) { keys in
            let number = change(try keys.numbers(algorithm)[member] ?? Data())
            return #"{"keys":[\#(try keys.entry(algorithm, [member: ProviderKeys.json(number)]))]}"#
        }
    }

    /// A key of Ed25519 for which a signature of the neutral element and 0 fits each text.
    private static func neutral(_ key: String, _ name: String) -> IssuedToken {
        let bytes = stride(from: 0, to: key.count, by: 2).map { place in
            UInt8(key.dropFirst(place).prefix(2), radix: 16) ?? 0
        }
        return IssuedToken(
            name: "key: Ed25519, \(name)", refusal: .key, change: { $0.header["alg"] = "\"EdDSA\"" },
            sign: { _, _ in [1] + Data(count: 63) },
            keySet: { #"{"keys":[\#(try $0.entry(.edDSA, ["x": ProviderKeys.json(bytes)]))]}"# })
    }
}
