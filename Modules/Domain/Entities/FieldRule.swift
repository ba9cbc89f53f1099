public import FoundationEssentials

/// The rule for a field's value, beside its type; client and server check the same rule.
public struct FieldRule<Value: FieldValue>: Sendable {
    /// Whether the value may have several lines.
    let isLong: Bool
    /// Most bytes of a text. Default: 1 MiB.
    var maximumBytes = 1 << 20
    /// Of a list with the elements of a filter, which need not be as many as the rule says. Default: `check`.
    var checkItem: (@Sendable (_ field: String, _ value: Value, _ check: inout FieldCheck) -> Void)?
    /// The valid texts, for help and errors: `one line of 1 to 40 bytes`.
    let text: String
    /// A valid value for tests and documents.
    let sample: @Sendable (_ field: String, _ number: Int) -> Value
    /// A value that breaks the rule; `nil` where every value of the type is valid. Made for tests only: it may be long.
    let flaw: @Sendable () -> Value?
    let check: @Sendable (_ field: String, _ value: Value, _ check: inout FieldCheck) -> Void
    /// The part of the rule that a JSON Schema can state. Made for documents only.
    let schema: @Sendable () -> JSONSchema?

    /// A rule of a feature's own.
    ///
    /// - Parameters:
    ///   - isLong: Whether the value may have several lines. Default: no.
    ///   - text: The valid texts, for help and errors. Default: those of the type.
    ///   - flaw: A value that breaks the rule, for tests. Default: none.
    ///   - sample: A valid value for tests and documents. Default: that of the type.
    ///   - schema: The part of the rule that a JSON Schema can state, for the OpenAPI document. Default: none.
    ///   - check: Refuses a value that breaks the rule.
    public init(
        isLong: Bool = false, _ text: String = Value.fieldText,
        flaw: @autoclosure @escaping @Sendable () -> Value? = nil,
        schema: @autoclosure @escaping @Sendable () -> JSONSchema? = nil,
        sample: @escaping @Sendable (String, Int) -> Value = { _, number in Value.fieldSample(number) },
        check: @escaping @Sendable (String, Value, inout FieldCheck) -> Void
    ) {
        (self.isLong, self.text, self.flaw, self.sample, self.check) = (isLong, text, flaw, sample, check)
        self.schema = schema
    }

    /// Every value of the type.
    public static var any: FieldRule { FieldRule(check: { _, _, _ in }) }

    /// The same rule and one more. A sample of the rule must keep it.
    ///
    /// - Parameter more: Gets the name on the wire and the value.
    public func also(
        _ more: @escaping @Sendable (_ field: String, _ value: Value, _ check: inout FieldCheck) -> Void
    ) -> FieldRule {
        var rule = FieldRule(isLong: isLong, text, flaw: flaw(), schema: schema(), sample: sample) {
            field, value, errors in
            check(field, value, &errors)
            more(field, value, &errors)
        }
        (rule.maximumBytes, rule.checkItem) = (maximumBytes, checkItem)
        return rule
    }
}

extension FieldRule<String> {
    /// One line, with a length in UTF-8 bytes, without control characters.
    public static func line(_ bytes: ClosedRange<Int>) -> FieldRule {
        text(
            "one line of \(bytes.lowerBound) to \(bytes.upperBound) bytes", bytes,
            pattern: #"^[^\u0000-\u0008\u000A-\u001F\u007F\u0085\u2028\u2029]*$"#
        ) { field, value, check in
            if value.contains(where: \.isNewline) { check.refuse(field, "must be one line") }
        }
    }

    /// Several lines, with a length in UTF-8 bytes, without control characters other than tab and line breaks.
    public static func lines(_ bytes: ClosedRange<Int>) -> FieldRule {
        text(
            "text of \(bytes.lowerBound) to \(bytes.upperBound) bytes", isLong: true, bytes,
            pattern: #"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]*$"#
        ) { _, _, _ in }
    }

    /// Text without spaces, with a length in UTF-8 bytes: the name of a machine.
    public static func word(_ bytes: ClosedRange<Int>) -> FieldRule {
        FieldRule(
            "one word of \(bytes.lowerBound) to \(bytes.upperBound) bytes",
            flaw: String(repeating: "x", count: bytes.upperBound + 1),
            schema: .text(bytes: bytes, pattern: #"^[^\u0000-\u0020\u007F]*$"#)
        ) { field, number in
            String("\(field)-\(number)".prefix(bytes.upperBound))
        } check: { field, value, check in
            check.word(field, value, bytes: bytes)
        }
    }

    /// The id of another entity.
    public static var id: FieldRule {
        FieldRule(Identifier<String>.parameterKind, flaw: "two words", schema: Identifier<String>.rule) { _, number in
            "id-\(number)"
        } check: { field, value, check in
            if Identifier<String>(parameter: value) == nil {
                check.refuse(field, "must be \(Identifier<String>.parameterKind)")
            }
        }
    }

    private static func text(
        _ text: String, isLong: Bool = false, _ bytes: ClosedRange<Int>, pattern: String,
        also: @escaping @Sendable (String, String, inout FieldCheck) -> Void
    ) -> FieldRule {
        var rule = FieldRule(
            isLong: isLong, text,
            flaw: bytes.upperBound < 1 << 20 ? String(repeating: "x", count: bytes.upperBound + 1) : nil,
            schema: .text(bytes: bytes, pattern: pattern)
        ) { field, number in
            let sample = "\(number) " + field.replacing("_", with: " ")
            let missing = max(0, bytes.lowerBound - sample.utf8.count)
            return String((sample + String(repeating: "x", count: missing)).prefix(bytes.upperBound))
        } check: { field, value, check in
            check.text(field, value, bytes: bytes)
            also(field, value, &check)
        }
        rule.maximumBytes = bytes.upperBound
        return rule
    }
}

extension FieldRule<Int> {
    /// Numbers in `range`.
    public static func within(_ range: ClosedRange<Int>) -> FieldRule {
        let flaw = range.upperBound < .max ? range.upperBound + 1 : range.lowerBound > .min ? range.lowerBound - 1 : nil
        return FieldRule("\(range.lowerBound) to \(range.upperBound)", flaw: flaw, schema: .integer(range)) {
            _, number in
            min(max(7 + number, range.lowerBound), range.upperBound)
        } check: { field, value, check in
            if !range.contains(value) {
                check.refuse(field, "must be \(range.lowerBound) to \(range.upperBound); it is \(value)")
            }
        }
    }
}

extension FieldRule<URL> {
    /// An absolute `http` or `https` address of at most 2048 bytes.
    public static var web: FieldRule {
        FieldRule(
            flaw: URL(string: "ftp://example.org"), schema: .text(10...2048, pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]")
        ) { field, value, check in
            let isWeb = ["http", "https"].contains(value.scheme?.lowercased()) && !(value.host() ?? "").isEmpty
            if !isWeb || value.absoluteString.utf8.count > 2048 {
                check.refuse(field, "must be an http or https address of at most 2048 bytes")
            }
        }
    }
}
