import FoundationEssentials
import StrataDomain
import StrataHTTP

/// The files of test vectors of github.com/C2SP/wycheproof.
enum Wycheproof {
    /// A checkout; `nil` without one.
    static let folder = ProcessInfo.processInfo.environment["STRATA_WYCHEPROOF"]

    /// The vectors of a key.
    struct Group: Decodable {
        // A key, or a set of keys. Files of tokens have these two, files of signatures the others.
        private var `public`: JSONValue?
        private var `private`: JSONValue?
        private var publicKeyJwk: JSONValue?
        private var keyJwk: JSONValue?
        private var publicKey: JSONValue?
        var tests: [Vector]

        /// What a provider with this key publishes.
        ///
        /// - Returns: `nil` for a group without a key.
        func keySet() throws -> Data? {
            var key = `public` ?? `private`
            if key == nil, var members = (publicKeyJwk ?? keyJwk)?.object ?? publicKey?.object.flatMap(Self.members) {
                // The test chooses the algorithm.
                members["alg"] = nil
                key = .object(members)
            }
            guard let key else { return nil }
            return try WireJSON.encode(key.object?["keys"] == nil ? .object(["keys": .array([key])]) : key)
        }

        /// A key of which the file has only the numbers, in hexadecimal digits.
        private static func members(_ numbers: [String: JSONValue]) -> [String: JSONValue]? {
            func bytes(_ name: String) -> Data? { numbers[name]?.string.flatMap(Wycheproof.bytes) }
            func text(_ bytes: Data) -> JSONValue { .string(Base64URL.encode(bytes)) }
            if let point = bytes("uncompressed"), point.count == 65 {
                return ["kty": "EC", "crv": "P-256", "x": text(point[1..<33]), "y": text(point[33...])]
            }
            guard let n = bytes("modulus"), let e = bytes("publicExponent") else { return nil }
            return ["kty": "RSA", "n": text(n.drop { $0 == 0 }), "e": text(e)]
        }
    }

    /// A token, or a text and its signature.
    struct Vector: Decodable {
        var tcId: Int
        var comment: String
        /// `valid`, `invalid` or `acceptable`.
        var result: String
        private var jws: JSONValue?
        private var jwe: JSONValue?
        private var msg: String?
        private var sig: String?

        /// `nil` for the JSON serialization, which no token endpoint sends.
        var token: String? { (jws ?? jwe)?.string }
        var text: Data? { msg.flatMap(bytes) }
        var signature: Data? { sig.flatMap(bytes) }
    }

    static func groups(_ file: String) throws -> [Group] {
        struct File: Decodable { var testGroups: [Group] }
        let url = URL(filePath: folder ?? "").appending(path: "testvectors_v1/\(file)_test.json")
        return try JSONDecoder().decode(File.self, from: Data(contentsOf: url)).testGroups
    }

    private static func bytes(_ hex: String) -> Data? {
        var bytes = Data()
        var rest = hex[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
