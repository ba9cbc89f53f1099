extension UInt8 {
    /// Whether the byte may stand in a token (RFC 9110, section 5.6.2).
    @inlinable package var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }

    /// A space or a tab (RFC 9110, section 5.6.3).
    @inlinable package var isFieldWhitespace: Bool { self == 0x20 || self == 0x09 }

    /// Whether the byte may stand in a field value (RFC 9110, section 5.5): no control character but the tab.
    @inlinable package var isFieldValueByte: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }

    var asciiLowercased: UInt8 { (65...90).contains(self) ? self + 32 : self }
}

extension StringProtocol {
    /// Whether the text is one token byte or more.
    package var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenByte) }

    /// The text without spaces and tabs at both ends.
    package var trimmed: String {
        var bytes = Substring(self).utf8
        while bytes.first?.isFieldWhitespace == true { bytes.removeFirst() }
        while bytes.last?.isFieldWhitespace == true { bytes.removeLast() }
        return String(Substring(bytes))
    }

    /// The number that the text spells in decimal digits, at most `limit`; `nil` for an empty text and for any other
    /// character.
    package func decimal(upTo limit: Int = .max) -> Int? {
        guard !isEmpty else { return nil }
        var number = 0
        for byte in utf8 {
            guard (48...57).contains(byte) else { return nil }
            let (product, isLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isLarger) = product.addingReportingOverflow(Int(byte - 48))
            number = isLarge || isLarger ? limit : Swift.min(limit, sum)
        }
        return number
    }
}

extension String {
    /// Equality of tokens that ignore case, such as field names (RFC 9110, section 5.1): only ASCII letters match in the
    /// other case.
    package func equalsIgnoringCase(_ other: String) -> Bool {
        utf8.count == other.utf8.count
            && (self == other
                || zip(utf8, other.utf8).allSatisfy { $0 == $1 || $0.asciiLowercased == $1.asciiLowercased })
    }
}
