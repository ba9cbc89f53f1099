/// The values that stand in lines about a field, ranges, words and samples, and what they become for another one.
struct FieldValues {
    /// Old text and new; names are not among them.
    let pairs: [(String, String)]
    /// The old text of what the new field has no value for: a line that holds it goes.
    let lost: [String]

    init(from model: Field, to field: Field, in spec: FeatureSpec) {
        var pairs: [(String, String)] = []
        var lost: [String] = []
        switch (model.kind, field.kind) {
        case (.string(let old), .string(let new)):
            pairs = [
                (Self.range(old), Self.range(new)), (Self.words(old), Self.words(new)),
                ("count: \(Self.number(old.upperBound + 1))", "count: \(Self.number(new.upperBound + 1))"),
                ("\"Alpha\"", Self.sample("Alpha", new)), ("\"Beta\"", Self.sample("Beta", new)),
            ]
        case (.int(let old?), .int(let new)):
            let samples = Self.samples(new)
            pairs = [("8", "\(samples.0)"), ("9", "\(samples.1)")]
            let tooMany = Self.number(old.upperBound + 1)
            if let new {
                pairs += [(Self.range(old), Self.range(new)), (Self.words(old), Self.words(new))]
                if new.upperBound < .max {
                    pairs.append((tooMany, Self.number(new.upperBound + 1)))
                } else if new.lowerBound > .min {
                    pairs.append((tooMany, Self.number(new.lowerBound - 1)))
                } else {
                    lost = [tooMany]
                }
            } else {
                pairs += [(", .within(\(Self.range(old)))", ""), (Self.words(old), "a whole number")]
                lost = [tooMany]
            }
        case (.choice(let old), .choice(let new)):
            let second = new.count > 1 ? new[1] : new[0]
            // An optional has cases of these names itself.
            let type = "\(spec.name.upperCamel).\(SwiftName.nestedType(field.spelling.upperCamel))"
            let owner = { (word: String) in ["none", "some"].contains(word) ? type : "" }
            pairs = [
                (old.joined(separator: ", "), new.map(SwiftName.escaped).joined(separator: ", ")),
                (".\(old[0])", "\(owner(new[0])).\(SwiftName.escaped(new[0]))"),
                (".\(old[1])", "\(owner(second)).\(SwiftName.escaped(second))"),
                ("\"\(old[0])\"", "\"\(new[0])\""), ("\"\(old[1])\"", "\"\(second)\""),
            ]
        case (.reference(let old), .reference(let new)):
            pairs = [("= \(old.entity).ID", "= \(new.entity).ID")]
        default: break
        }
        self.pairs = pairs
        self.lost = lost
    }

    private static func range(_ range: ClosedRange<Int>) -> String {
        range.upperBound < 0
            ? "\(number(range.lowerBound))...(\(number(range.upperBound)))"
            : "\(number(range.lowerBound))...\(number(range.upperBound))"
    }

    private static func words(_ range: ClosedRange<Int>) -> String {
        "\(number(range.lowerBound)) to \(number(range.upperBound))"
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

    /// Two numbers inside the range, different where it has two.
    private static func samples(_ range: ClosedRange<Int>?) -> (Int, Int) {
        let range = range ?? .min ... .max
        let first = min(max(8, range.lowerBound), range.upperBound)
        if first < range.upperBound { return (first, first + 1) }
        return (first, first > range.lowerBound ? first - 1 : first)
    }

    /// `text` cut or filled up to the range, in quotes.
    private static func sample(_ text: String, _ bytes: ClosedRange<Int>) -> String {
        let missing = bytes.lowerBound - text.utf8.count
        if missing > 0 { return "\"\(text)\(String(repeating: "x", count: missing))\"" }
        return "\"\(text.prefix(bytes.upperBound))\""
    }
}
