package import FoundationEssentials

/// Base64 in the URL alphabet without padding (RFC 7515, section 2). Each value has exactly one encoding.
package enum Base64URL {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let text = Data(bytes).base64EncodedData().prefix { $0 != UInt8(ascii: "=") }
        return String(decoding: text.map { $0 == plus ? hyphen : $0 == slash ? underscore : $0 }, as: UTF8.self)
    }

    /// The bytes of `text`; `nil` for padding, `+` and `/`, an impossible length, or non-zero bits after the last byte. Two
    /// texts therefore never decode to the same bytes.
    package static func decode(_ text: some StringProtocol) -> Data? {
        var standard = text.utf8.map { $0 == hyphen ? plus : $0 == underscore ? slash : $0 }
        while standard.count % 4 > 0 { standard.append(UInt8(ascii: "=")) }
        guard let bytes = Data(base64Encoded: Data(standard)), encode(bytes) == text else { return nil }
        return bytes
    }

    private static let (plus, hyphen) = (UInt8(ascii: "+"), UInt8(ascii: "-"))
    private static let (slash, underscore) = (UInt8(ascii: "/"), UInt8(ascii: "_"))
}
