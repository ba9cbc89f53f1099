public import FoundationEssentials

extension Sequence<UInt8> {
    /// Two hexadecimal digits a byte, in lower case: `00ff`.
    public var hex: String {
        var text = ""
        for byte in self {
            text.unicodeScalars.append(digit(byte >> 4))
            text.unicodeScalars.append(digit(byte & 15))
        }
        return text
    }
}

extension UInt64 {
    /// Sixteen hexadecimal digits in lower case.
    public var hex: String { withUnsafeBytes(of: bigEndian) { $0.hex } }
}

extension UUID {
    /// The text of RFC 9562 in lower case, as every Strata program writes it.
    public var text: String { uuidString.lowercased() }
}

private func digit(_ value: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
}
