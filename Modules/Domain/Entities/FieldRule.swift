public import FoundationEssentials

/// The rule for a field's value, beside its type; client and server check the same rule.
public struct FieldRule<Value: FieldValue>: Sendable {
    /// Whether the value may have several lines.
    let isLong: Bool
    let check: @Sendable (_ field: String, _ value: Value, _ check: inout FieldCheck) -> Void

    init(isLong: Bool = false, _ check: @escaping @Sendable (String, Value, inout FieldCheck) -> Void) {
        self.isLong = isLong
        self.check = check
    }

    /// Every value of the type.
    public static var any: FieldRule { FieldRule { _, _, _ in } }
}

extension FieldRule<String> {
    /// One line, with a length in UTF-8 bytes, without control characters.
    public static func line(_ bytes: ClosedRange<Int>) -> FieldRule {
        FieldRule { field, value, check in
            check.text(field, value, bytes: bytes)
            if value.contains(where: \.isNewline) { check.refuse(field, "must be one line") }
        }
    }

    /// Several lines, with a length in UTF-8 bytes, without control characters other than tab and line breaks.
    public static func lines(_ bytes: ClosedRange<Int>) -> FieldRule {
        FieldRule(isLong: true) { field, value, check in check.text(field, value, bytes: bytes) }
    }
}

extension FieldRule<Int> {
    public static func within(_ range: ClosedRange<Int>) -> FieldRule {
        FieldRule { field, value, check in
            if !range.contains(value) {
                check.refuse(field, "must be \(range.lowerBound) to \(range.upperBound); it is \(value)")
            }
        }
    }
}

extension FieldRule<URL> {
    /// An absolute `http` or `https` address of at most 2048 bytes.
    public static var web: FieldRule {
        FieldRule { field, value, check in
            let isWeb = ["http", "https"].contains(value.scheme?.lowercased()) && !(value.host() ?? "").isEmpty
            if !isWeb || value.absoluteString.utf8.count > 2048 {
                check.refuse(field, "must be an http or https address of at most 2048 bytes")
            }
        }
    }
}
