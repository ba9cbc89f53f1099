import FoundationEssentials
import StrataDomain

extension ContentDigest {
    /// `sha-256=` or `sha-512=` and hexadecimal digits or Base64; `nil` for anything else.
    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="),
            let algorithm = Algorithm(rawValue: argument[..<equals].lowercased())
        else { return nil }
        var text = argument[argument.index(after: equals)...]
        // As it stands in Repr-Digest, an RFC 8941 byte sequence.
        if text.hasPrefix(":"), text.hasSuffix(":"), text.count > 2 { text = text.dropFirst().dropLast() }
        let isHex = text.utf8.count == algorithm.length * 2
        guard let bytes = isHex ? Self.bytes(hex: text) : Data(base64Encoded: String(text)) else { return nil }
        self.init(algorithm, bytes)
    }

    private static func bytes(hex text: Substring) -> Data? {
        var bytes = Data()
        var rest = text.utf8[...]
        while rest.count >= 2 {
            guard let high = digit(rest.removeFirst()), let low = digit(rest.removeFirst()) else { return nil }
            bytes.append(high << 4 | low)
        }
        return rest.isEmpty ? bytes : nil
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
