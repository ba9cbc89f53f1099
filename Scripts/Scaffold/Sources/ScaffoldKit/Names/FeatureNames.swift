/// The names of a feature, from the arguments.
package enum FeatureNames {
    /// Longer names make lines that the formatter breaks.
    package static let limit = 40

    /// - Parameter plural: Default: the English plural.
    /// - Throws: A refusal with a name that is accepted.
    package static func read(
        _ name: String, plural: String? = nil
    ) throws(ScaffoldRefusal) -> (name: Spelling, plural: Spelling) {
        try checkShape(name, of: FeatureSpec.noun, example: "Incident")
        let singular = Spelling(name)
        let english = Plural.of(singular)
        guard let many = plural ?? english, many.lowercased() != name.lowercased() else {
            throw ScaffoldRefusal(
                "'\(name)' needs a plural that is another word, because one names the type and the other the modules; use "
                    + "'--plural \(english ?? "\(name)Items")'.", .usage)
        }
        try checkShape(many, of: FeatureSpec.noun, example: english ?? "\(name)Items")
        let spellings = (name: singular, plural: Spelling(many))
        for spelling in [spellings.name, spellings.plural] where ReservedWords.swift.contains(spelling.lowerCamel) {
            throw ScaffoldRefusal(
                "'\(spelling.upperCamel)' is a keyword of Swift; use a longer name, such as '\(name)Record'.", .usage)
        }
        if ReservedWords.commands.contains(spellings.plural.kebab) {
            throw ScaffoldRefusal(
                "'\(name)' would make the command '\(spellings.plural.kebab)', which every service has; use a longer name, such as "
                    + "'\(name)Record'.", .usage)
        }
        if ReservedWords.sql.contains(spellings.plural.snake) {
            throw ScaffoldRefusal(
                "'\(name)' would make the table '\(spellings.plural.snake)', a reserved word of SQL; use a longer name, such as "
                    + "'\(name)Record'.", .usage)
        }
        return spellings
    }

    /// - Parameter noun: What is to be called so.
    static func checkShape(_ name: String, of noun: String, example: String) throws(ScaffoldRefusal) {
        let isPlain = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        }
        guard isPlain, (3...limit).contains(name.utf8.count), let first = name.utf8.first, (0x41...0x5A).contains(first)
        else {
            throw ScaffoldRefusal(
                "'\(name.printable)' is no name of a \(noun): 3 to \(limit) ASCII letters and digits, a capital letter first. "
                    + "Use one such as '\(rewritten(name) ?? example)'.", .usage)
        }
    }

    /// `incident-report 2` as `IncidentReport2`; `nil` when nothing usable is left.
    private static func rewritten(_ name: String) -> String? {
        let parts = name.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        let joined = parts.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined().drop { $0.isNumber }
        return (3...limit).contains(joined.count) && name.allSatisfy(\.isASCII)
            ? joined.prefix(1).uppercased() + joined.dropFirst() : nil
    }

    /// - Throws: A refusal for a name that Swift, SQL, the command line or every entity has already.
    package static func check(_ field: Field, of name: Spelling) throws(ScaffoldRefusal) {
        func refuse(_ reason: String) -> ScaffoldRefusal {
            let other = "\(name.lowerCamel)\(field.spelling.upperCamel)"
            return ScaffoldRefusal(
                "The field '\(field.name)' \(reason). Use another name, such as '\(other)'.", .usage)
        }
        if ReservedWords.swift.contains(field.name) { throw refuse("is a keyword of Swift") }
        if ReservedWords.sql.contains(field.column) { throw refuse("is a reserved word of SQL") }
        if ReservedWords.fields.contains(field.name) { throw refuse("is one that every entity has") }
        if ReservedWords.options.contains(field.spelling.kebab) {
            throw refuse("would make the option '--\(field.spelling.kebab)', which every command has")
        }
        // The names of the wire are read back word by word: `user_id` becomes `userId`.
        let words = field.spelling.words
        let readBack = (words.prefix(1) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }).joined()
        guard readBack == field.name else {
            throw ScaffoldRefusal(
                "The field '\(field.name)' is '\(field.column)' on the wire, which is read back as '\(readBack)'. Use "
                    + "'\(readBack)'.", .usage)
        }
        if case .choice(let words) = field.kind.element {
            if ["Type", "Self", "Protocol"].contains(field.spelling.upperCamel) {
                throw refuse("would make a type '\(field.spelling.upperCamel)', a name of the Swift language")
            }
            if let word = words.first(where: { ReservedWords.swift.contains($0) || ReservedWords.choices.contains($0) })
            {
                throw ScaffoldRefusal(
                    "The field '\(field.name)' has the choice '\(word)', a word of Swift. Use another, such as "
                        + "'\(word)\(field.spelling.upperCamel)'.", .usage)
            }
        }
    }
}
