import FoundationEssentials

extension ContentDigest {
    /// As a member of `Repr-Digest` or `Content-Digest` (RFC 9530, section 2): `sha-256=:BASE64:`.
    public var field: String { "\(algorithm.rawValue)=:\(bytes.base64EncodedString()):" }

    /// The digests in such a field, without those of unknown algorithms and without malformed ones.
    public static func list(_ field: String) -> [ContentDigest] {
        FieldList.elements([field]).compactMap { member in
            // Parameters may follow the value (RFC 8941, section 3.2).
            let text = member.prefix { $0 != ";" }
            guard let sign = text.firstIndex(of: "="), let algorithm = Algorithm(rawValue: String(text[..<sign])) else {
                return nil
            }
            let value = text[text.index(after: sign)...].trimmed
            guard value.count >= 2, value.hasPrefix(":"), value.hasSuffix(":"),
                let bytes = Data(base64Encoded: String(value.dropFirst().dropLast()))
            else { return nil }
            return ContentDigest(algorithm, bytes)
        }
    }

    /// Reads a user's input: `sha-256=` or `sha256:`, then hexadecimal digits or base64. The count of hexadecimal digits
    /// alone implies the algorithm.
    public init?(text: String) {
        let sign = text.firstIndex { $0 == "=" || $0 == ":" }
        let name = sign.map {
            text[..<$0].lowercased().replacing("sha2", with: "sha-2").replacing("sha5", with: "sha-5")
        }
        if let sign, let name, let algorithm = Algorithm(rawValue: name) {
            var value = text[text.index(after: sign)...]
            if value.count > 2, value.hasPrefix(":"), value.hasSuffix(":") { value = value.dropFirst().dropLast() }
            guard let bytes = Self.bytes(hex: value) ?? Data(base64Encoded: String(value)) else { return nil }
            self.init(algorithm, bytes)
        } else {
            guard let bytes = Self.bytes(hex: text[...]),
                let algorithm = Algorithm.allCases.first(where: { $0.length == bytes.count })
            else { return nil }
            self.init(algorithm, bytes)
        }
    }

    private static func bytes(hex: Substring) -> Data? {
        let digits = hex.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) }
        guard digits.count.isMultiple(of: 2), !digits.isEmpty, !digits.contains(nil) else { return nil }
        let values = digits.compactMap(\.self)
        return Data(stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] })
    }
}
