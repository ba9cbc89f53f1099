/// Reads fields as they are written on the command line:
///
///     title:string(1..200):search severity:enum(low,high):filter note:text? startedAt:date:sort runbook:reference(Runbook,clear)?
///
/// Fields are separated by spaces, commas or new lines; `?` makes one optional; marks follow.
package enum FieldParser {
    /// - Throws: A refusal with the field, what is wrong with it, and one that works.
    package static func parse(_ text: String) throws(ScaffoldRefusal) -> [Field] {
        guard text.utf8.count <= 8192 else {
            throw ScaffoldRefusal("The fields have \(text.utf8.count) bytes; at most 8192 are read. Omit some.", .usage)
        }
        let fields = try words(of: text).mapThrowing { word throws(ScaffoldRefusal) in try field(word) }
        guard fields.count <= 40 else {
            throw ScaffoldRefusal("There are \(fields.count) fields; a feature has at most 40. Omit some.", .usage)
        }
        for (index, field) in fields.enumerated()
        where fields[..<index].contains(where: { $0.name.lowercased() == field.name.lowercased() }) {
            throw refusal("\(field)", "another field has the name '\(field.name)'", "\(field.name)2:\(field.kind)")
        }
        return fields
    }

    /// The parts between separators; those in parentheses separate nothing.
    private static func words(of text: String) -> [String] {
        var words = [""]
        var depth = 0
        for character in text {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if depth <= 0, character == "," || character.isWhitespace {
                words.append("")
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words.filter { !$0.isEmpty }
    }

    private static func field(_ text: String) throws(ScaffoldRefusal) -> Field {
        let shape = /([a-z][A-Za-z0-9]{0,39}):([A-Za-z]+)(?:\(((?:[^()]|\([^()]*\))*)\))?(\?)?((?::[a-z]*)*)/
            .asciiOnlyCharacterClasses()
        guard let match = text.wholeMatch(of: shape) else {
            throw refusal(
                text, "it has to be NAME:KIND, the name in letters and digits with a small letter first", "title:text")
        }
        let name = String(match.1)
        let kind = try kind(String(match.2), match.3.map { trimmed($0) }, of: name, text)
        var marks: Set<Field.Mark> = []
        for word in match.5.split(separator: ":", omittingEmptySubsequences: false).dropFirst() {
            guard let mark = Field.Mark(rawValue: String(word)), marks.insert(mark).inserted else {
                let all = Field.Mark.allCases.map(\.rawValue).joined(separator: ", ")
                throw refusal(text, "':\(word)' is no mark, or there twice; marks are \(all)", "\(name):\(kind):unique")
            }
        }
        if marks.contains(.search), !isText(kind) {
            throw refusal(text, "only string and text are searched", "\(name):\(kind):filter")
        }
        if marks.contains(.sort), kind.element != kind {
            throw refusal(text, "a list has no order", "\(name):\(kind):filter")
        }
        if marks.contains(.sort), isLong(kind) {
            throw refusal(text, "only texts of at most 1000 bytes are sorted", "\(name):string(1..200):sort")
        }
        return Field(name, kind, isOptional: match.4 != nil, marks)
    }

    private static func isLong(_ kind: Field.Kind) -> Bool {
        if case .string(let bytes) = kind { bytes.upperBound > 1000 } else { kind == .text }
    }

    private static func isText(_ kind: Field.Kind) -> Bool { if case .string = kind { true } else { kind == .text } }

    private static func kind(
        _ word: String, _ details: String?, of name: String, _ text: String
    ) throws(ScaffoldRefusal) -> Field.Kind {
        switch (word, details) {
        case ("string", nil): return .string(1...200)
        case ("string", let details?):
            let bytes = range(details)
            guard let bytes, bytes.lowerBound >= 0, (1...65_536).contains(bytes.upperBound) else {
                throw refusal(text, "a string has 0 to 65536 bytes", "\(name):string(1..200)")
            }
            return .string(bytes)
        case ("int", nil): return .int(nil)
        case ("int", let details?):
            guard let range = range(details) else {
                throw refusal(text, "'\(details)' is no range of whole numbers", "\(name):int(0..100)")
            }
            return .int(range)
        case ("text", nil): return .text
        case ("double", nil): return .double
        case ("bool", nil): return .bool
        case ("date", nil): return .date
        case ("uuid", nil): return .uuid
        case ("url", nil): return .url
        case ("enum", let details?):
            let words = details.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
            guard words.allSatisfy(isChoice), Set(words.map { $0.lowercased() }).count == words.count else {
                throw refusal(
                    text, "each choice is there once, in letters and digits with a small letter first",
                    "\(name):enum(low,high)")
            }
            return .choice(words)
        case ("reference", let details?) where details.first?.isUppercase == true:
            return try reference(details, of: name, text)
        case ("list", let details?): return try list(details, of: name, text)
        default:
            let works = [
                "enum": "enum(low,high)", "reference": "reference(User)", "str": "string(1..200)",
                "varchar": "string(1..200)",
                "integer": "int", "number": "int", "decimal": "double", "float": "double", "boolean": "bool",
                "datetime": "date", "timestamp": "date", "time": "date", "guid": "uuid", "uri": "url",
                "ref": "reference(User)", "list": "list(string)", "array": "list(string)",
                "tags": "list(string(1..40))",
            ]
            throw refusal(
                text,
                "kinds are string(1..200), text, int(0..100), double, bool, date, uuid, url, enum(low,high), reference(User) and list(string)",
                "\(name):\(works[word.lowercased()] ?? "text")")
        }
    }

    /// - Parameter details: `string(1..40)`.
    private static func list(
        _ details: String, of name: String, _ text: String
    ) throws(ScaffoldRefusal) -> Field.Kind {
        guard let match = details.wholeMatch(of: /([a-z]+)\s*(?:\(([^()]*)\))?/),
            ["string", "int", "double", "enum"].contains(String(match.1))
        else {
            throw refusal(
                text, "a list has string(1..200), int(0..100), double or enum(low,high)", "\(name):list(string)")
        }
        return .list(try kind(String(match.1), match.2.map { trimmed($0) }, of: name, text))
    }

    /// - Parameter details: `Team` or `Team,cascade`.
    private static func reference(
        _ details: String, of name: String, _ text: String
    ) throws(ScaffoldRefusal) -> Field.Kind {
        let words = details.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
        guard isChoice(words[0].lowercased()), words.count <= 2 else {
            throw refusal(
                text, "'\(details.printable)' is no name of an entity, with a rule behind it", "\(name):reference(User)"
            )
        }
        guard words.count == 2 else { return .reference(words[0]) }
        guard words[0] != Field.Kind.user else {
            throw refusal(
                text, "users are no entity, so nothing follows from the deletion of one", "\(name):reference(User)")
        }
        guard let rule = Field.DeleteRule(rawValue: words[1]) else {
            let rules = Field.DeleteRule.allCases.map(\.rawValue).joined(separator: ", ")
            throw refusal(
                text, "'\(words[1].printable)' is no rule of a deletion; rules are \(rules)",
                "\(name):reference(\(words[0]),cascade)")
        }
        return .reference(words[0], rule)
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    private static func isChoice(_ word: String) -> Bool {
        word.utf8.count <= 40 && word.wholeMatch(of: /[a-z][A-Za-z0-9]*/) != nil
    }

    /// `1..200`.
    private static func range(_ text: String) -> ClosedRange<Int>? {
        let bounds = text.split(separator: "..", omittingEmptySubsequences: false).map { Int($0) }
        guard bounds.count == 2, let low = bounds[0], let high = bounds[1], low <= high else { return nil }
        return low...high
    }

    private static func refusal(_ field: String, _ reason: String, _ works: String) -> ScaffoldRefusal {
        ScaffoldRefusal("The field '\(field.printable)' cannot be read: \(reason). This works: '\(works)'.", .usage)
    }
}
