import StrataDomain
import StrataHTTP

extension HeaderFields {
    /// Puts the fields of `other` in place of those of the same names.
    mutating func overlay(_ other: HeaderFields) {
        for field in other { self[field.name] = nil }
        for field in other { add(field.name, field.value) }
    }

    /// These fields, those of `other` in place of the ones of the same names.
    func overlaid(with other: HeaderFields) -> HeaderFields {
        var result = self
        result.overlay(other)
        return result
    }
}

extension HeaderFields.Field {
    /// Whether name and value are what RFC 9110, sections 5.1 and 5.5, allow; a line break in a value would begin a new field.
    var isSendable: Bool {
        !name.isEmpty && name.utf8.allSatisfy(Self.isTokenByte)
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
