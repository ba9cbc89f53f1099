/// The values that stand in lines about a field, ranges and words, and what they become for another one.
struct FieldValues {
    /// Old text and new; names are not among them.
    let pairs: [(String, String)]

    init(from model: Field, to field: Field) {
        pairs =
            switch (model.kind, field.kind) {
            case (.string(let old), .string(let new)): [(Self.range(old), Self.range(new))]
            case (.int(let old?), .int(let new?)): [(Self.range(old), Self.range(new))]
            case (.int(let old?), .int(nil)): [(", .within(\(Self.range(old)))", "")]
            case (.choice(let old), .choice(let new)):
                [(old.joined(separator: ", "), new.map(SwiftName.escaped).joined(separator: ", "))]
            case (.reference(let old), .reference(let new)): [("= \(old.entity).ID", "= \(new.entity).ID")]
            default: []
            }
    }

    private static func range(_ range: ClosedRange<Int>) -> String {
        range.upperBound < 0
            ? "\(number(range.lowerBound))...(\(number(range.upperBound)))"
            : "\(number(range.lowerBound))...\(number(range.upperBound))"
    }

    /// In groups of three digits from five digits on, as the formatter has it.
    private static func number(_ number: Int) -> String {
        let digits = Array("\(number.magnitude)")
        guard digits.count > 4 else { return "\(number)" }
        let grouped = digits.enumerated().map { index, digit in
            index > 0 && (digits.count - index) % 3 == 0 ? "_\(digit)" : "\(digit)"
        }
        return (number < 0 ? "-" : "") + grouped.joined()
    }
}
