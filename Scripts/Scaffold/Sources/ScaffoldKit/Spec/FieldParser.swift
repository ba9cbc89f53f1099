/// Reads fields as they are written on the command line:
///
///     title:string(1..200) severity:enum(low,high) note:text? startedAt:date runbook:reference(Runbook)? slug:string(1..40):unique
///
/// Fields are parted by spaces, commas or new lines; `?` makes one optional; `:unique` and `:redact` follow.
package struct FieldParser {
    private let text: [Character]
    private var position = 0

    /// - Throws: A refusal naming the column, what stands there, and a line that works.
    package static func parse(_ text: String) throws(ScaffoldRefusal) -> [Field] {
        guard text.utf8.count <= 8192 else {
            throw ScaffoldRefusal("The fields take \(text.utf8.count) bytes; at most 8192 are read. Leave some out.")
        }
        var parser = FieldParser(text)
        return try parser.fields()
    }

    private init(_ text: String) { self.text = Array(text) }

    // MARK: Grammar

    private mutating func fields() throws(ScaffoldRefusal) -> [Field] {
        var fields: [Field] = []
        skipBetween()
        while position < text.count {
            let start = position
            let field = try field()
            if let same = fields.first(where: { $0.name.lowercased() == field.name.lowercased() }) {
                throw refusal(at: start, "the field '\(field.name)' is there twice", "'\(same)'")
            }
            fields.append(field)
            guard position < text.count else { break }
            guard isBetween(text[position]) else {
                throw refusal(
                    at: position, "'\(printable(position))' is not expected behind '\(field)'", "'\(field) next:text'")
            }
            skipBetween()
        }
        if fields.count > 40 {
            throw ScaffoldRefusal("There are \(fields.count) fields; at most 40 make a feature. Leave some out.")
        }
        return fields
    }

    private mutating func field() throws(ScaffoldRefusal) -> Field {
        let start = position
        let name = word()
        guard let first = name.first, first.isLowercase, first.isASCII else {
            let shown = name.isEmpty ? printable(start) : name
            throw refusal(
                at: start,
                "'\(shown)' is no name of a field; a name has ASCII letters and digits, a small letter first",
                "'title:string(1..200)'")
        }
        guard name.utf8.count <= 40 else {
            throw refusal(at: start, "the name has \(name.utf8.count) letters; at most 40 are read", "'title:text'")
        }
        guard take(":") else {
            throw refusal(at: position, "'\(name)' has no kind", "'\(name):string(1..200)'")
        }
        let kind = try kind(of: name)
        let isOptional = take("?")
        var isUnique = false
        var isRedacted = false
        while take(":") {
            let start = position
            switch word() {
            case "unique" where !isUnique: isUnique = true
            case "redact" where !isRedacted: isRedacted = true
            case let flag:
                let shown = flag.isEmpty ? printable(start) : flag
                throw refusal(
                    at: start, "'\(shown)' cannot follow; only 'unique' and 'redact' do, each once",
                    "'\(name):\(kind):unique'")
            }
        }
        return Field(name, kind, isOptional: isOptional, isUnique: isUnique, isRedacted: isRedacted)
    }

    private mutating func kind(of name: String) throws(ScaffoldRefusal) -> Field.Kind {
        let start = position
        let word = word()
        switch word {
        case "string":
            guard let bytes = try range(name, "string", "1..200") else { return .string(1...200) }
            guard (0...65_536).contains(bytes.lowerBound), (1...65_536).contains(bytes.upperBound) else {
                throw refusal(
                    at: start, "a string has 0 to 65536 bytes, not \(bytes.lowerBound) to \(bytes.upperBound)",
                    "'\(name):string(1..200)'")
            }
            return .string(bytes)
        case "int": return .int(try range(name, "int", "0..100"))
        case "text": return .text
        case "double": return .double
        case "bool": return .bool
        case "date": return .date
        case "uuid": return .uuid
        case "url": return .url
        case "enum": return .choice(try choices(name))
        case "reference": return .reference(try reference(name))
        default:
            let shown = word.isEmpty ? printable(start) : word
            throw refusal(
                at: start,
                "'\(shown)' is no kind of field; there are string, text, int, double, bool, date, uuid, url, enum and reference",
                "'\(name):\(Self.meant[word.lowercased()] ?? "text")'")
        }
    }

    /// `(1..200)`; `nil` without parentheses.
    private mutating func range(
        _ name: String, _ kind: String, _ example: String
    ) throws(ScaffoldRefusal) -> ClosedRange<Int>? {
        guard take("(") else { return nil }
        let works = "'\(name):\(kind)(\(example))'"
        let start = position
        skipSpaces()
        guard let low = number() else {
            throw refusal(at: position, "'\(printable(position))' is no whole number", works)
        }
        guard take("."), take(".") else {
            throw refusal(at: position, "'..' is expected behind \(low), not '\(printable(position))'", works)
        }
        guard let high = number() else {
            throw refusal(at: position, "'\(printable(position))' is no whole number", works)
        }
        guard low <= high else { throw refusal(at: start, "\(low) is more than \(high)", works) }
        try close(works)
        return low...high
    }

    private mutating func choices(_ name: String) throws(ScaffoldRefusal) -> [String] {
        let works = "'\(name):enum(low,high)'"
        guard take("(") else { throw refusal(at: position, "'enum' has no words in parentheses", works) }
        var words: [String] = []
        repeat {
            skipSpaces()
            let start = position
            let word = word()
            guard let first = word.first, first.isASCII, first.isLowercase, word.utf8.count <= 40 else {
                let shown = word.isEmpty ? printable(start) : word
                throw refusal(
                    at: start,
                    "'\(shown)' is no word for a choice; it has up to 40 ASCII letters and digits, a small letter first",
                    works)
            }
            guard !words.contains(where: { $0.lowercased() == word.lowercased() }) else {
                throw refusal(at: start, "'\(word)' is there twice", works)
            }
            words.append(word)
            skipSpaces()
        } while take(",")
        try close(works)
        return words
    }

    private mutating func reference(_ name: String) throws(ScaffoldRefusal) -> FeatureReference {
        let works = "'\(name):reference(Runbook)'"
        guard take("(") else { throw refusal(at: position, "'reference' has no feature in parentheses", works) }
        skipSpaces()
        let start = position
        let entity = word()
        guard let first = entity.first, first.isASCII, first.isUppercase, entity.utf8.count <= 40 else {
            let shown = entity.isEmpty ? printable(start) : entity
            throw refusal(at: start, "'\(shown)' is no name of a feature; one starts with a capital letter", works)
        }
        try close(works)
        return FeatureReference(entity: entity, module: Plural.of(Spelling(entity)) ?? entity)
    }

    private mutating func close(_ works: String) throws(ScaffoldRefusal) {
        skipSpaces()
        guard take(")") else {
            throw refusal(at: position, "')' is expected, not '\(printable(position))'", works)
        }
    }

    // MARK: Characters

    private mutating func word() -> String {
        let start = position
        while position < text.count, text[position].isASCII, text[position].isLetter || text[position].isNumber {
            position += 1
        }
        return String(text[start..<position])
    }

    private mutating func number() -> Int? {
        let start = position
        if position < text.count, text[position] == "-" { position += 1 }
        while position < text.count, text[position].isASCII, text[position].isNumber { position += 1 }
        let number = Int(String(text[start..<position]))
        if number == nil { position = start }
        return number
    }

    private mutating func take(_ character: Character) -> Bool {
        guard position < text.count, text[position] == character else { return false }
        position += 1
        return true
    }

    private mutating func skipSpaces() { while position < text.count, text[position] == " " { position += 1 } }

    private mutating func skipBetween() { while position < text.count, isBetween(text[position]) { position += 1 } }

    private func isBetween(_ character: Character) -> Bool {
        character == " " || character == "," || character == "\t" || character == "\n" || character == "\r\n"
    }

    // MARK: Words for people

    private func printable(_ position: Int) -> String {
        position < text.count ? String(text[position...].prefix(12)).printable : "the end"
    }

    private func refusal(at position: Int, _ reason: String, _ works: String) -> ScaffoldRefusal {
        ScaffoldRefusal("Fields, column \(position + 1): \(reason). This works: \(works).")
    }

    /// What people write for our kinds.
    private static let meant = [
        "str": "string(1..200)", "strin": "string(1..200)", "varchar": "string(1..200)", "char": "string(1..200)",
        "integer": "int", "number": "int", "long": "int", "decimal": "double", "float": "double", "boolean": "bool",
        "datetime": "date", "timestamp": "date", "time": "date", "guid": "uuid", "uri": "url", "link": "url",
        "markdown": "text", "ref": "reference(Runbook)", "references": "reference(Runbook)",
        "belongsto": "reference(Runbook)", "choice": "enum(low,high)", "string": "string(1..200)",
    ]
}
