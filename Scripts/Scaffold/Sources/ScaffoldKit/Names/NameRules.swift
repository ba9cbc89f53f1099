/// Decides whether a feature may bear a name, before anything else is looked at.
///
/// Each refusal says what is wrong and names one that is accepted.
package struct NameRules: Sendable {
    private let repository: RepositoryNames

    package init(_ repository: RepositoryNames) { self.repository = repository }

    /// The longest name; longer ones make lines that the formatter breaks.
    package static let limit = 40

    // MARK: Shape

    /// The names of a feature, from what was typed.
    ///
    /// - Parameter plural: Default: the English plural.
    package static func names(
        _ name: String, plural: String? = nil
    ) throws(ScaffoldRefusal) -> (name: Spelling, plural: Spelling) {
        try checkShape(name, "name of a feature", example: "Incident")
        let singular = Spelling(name)
        guard let many = plural ?? Plural.of(singular) else {
            throw ScaffoldRefusal(
                "'\(name)' has no plural that is different; say which one to use, such as '--plural \(name)Items'.")
        }
        try checkShape(many, "plural", example: Plural.of(singular) ?? "\(name)Items")
        guard many.lowercased() != name.lowercased() else {
            throw ScaffoldRefusal(
                "The plural of '\(name)' must be another word, for one is the type and the other the module; "
                    + "use '--plural \(Plural.of(singular) ?? "\(name)Items")'.")
        }
        return (singular, Spelling(many))
    }

    private static func checkShape(_ name: String, _ what: String, example: String) throws(ScaffoldRefusal) {
        let shown = name.printable
        if name.isEmpty { throw ScaffoldRefusal("The \(what) is empty; use one such as '\(example)'.") }
        if name.utf8.count > limit {
            throw ScaffoldRefusal(
                "'\(shown)' has \(name.utf8.count) bytes; a \(what) has at most \(limit). Use a shorter one, such as "
                    + "'\(example)'.")
        }
        guard name.utf8.allSatisfy(isLetterOrDigit), let first = name.utf8.first, isCapital(first) else {
            throw ScaffoldRefusal(
                "'\(shown)' cannot be the \(what): it has to be ASCII letters and digits, a capital letter first. "
                    + "Use '\(rewritten(name) ?? example)'.")
        }
        if name.utf8.count < 3 {
            throw ScaffoldRefusal("'\(shown)' is too short for the \(what); use at least three letters, '\(example)'.")
        }
    }

    /// `incident-report 2` as `IncidentReport2`; `nil` when nothing usable is left.
    private static func rewritten(_ name: String) -> String? {
        guard name.utf8.allSatisfy({ isLetterOrDigit($0) || " -_.".utf8.contains($0) }) else { return nil }
        let parts = name.split(whereSeparator: { " -_.".contains($0) })
        let joined = parts.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined().drop { $0.isNumber }
        guard joined.utf8.count > 2, let first = joined.utf8.first else { return nil }
        return isCapital(first) ? String(joined) : joined.prefix(1).uppercased() + joined.dropFirst()
    }

    private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isCapital(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
    }

    // MARK: Meaning

    /// - Throws: A refusal for a name that is reserved or taken, and for a field that cannot be.
    package func check(_ spec: FeatureSpec) throws(ScaffoldRefusal) {
        if let reason = fault(of: spec.name, plural: spec.plural) {
            throw ScaffoldRefusal("\(reason) \(wayOut(of: spec.name))")
        }
        for field in spec.fields { try check(field, of: spec) }
    }

    /// - Parameters:
    ///   - declared: Types of the feature as it is written.
    ///   - imported: Modules that its sources import.
    /// - Throws: A refusal for a type that would be mistaken for another.
    package func check(
        _ spec: FeatureSpec, declares declared: some Sequence<String>, imports imported: Set<String>
    ) throws(ScaffoldRefusal) {
        for name in declared.sorted() {
            let which =
                name == spec.name.upperCamel ? "'\(name)'" : "'\(spec.name.upperCamel)' makes a type '\(name)'; it"
            if let other = repository.types[name] {
                throw ScaffoldRefusal("\(which) is a type already, in '\(other.path)'. \(wayOut(of: spec.name))")
            }
            let modules = imported.union(["Swift"]).sorted()
            if let module = modules.first(where: { ExportedNames.byModule[$0]?.contains(name) == true }) {
                throw ScaffoldRefusal(
                    "\(which) is a type of the module \(module), which the feature imports. \(wayOut(of: spec.name))")
            }
        }
    }

    /// Why a name cannot be; `nil` when it can.
    private func fault(of name: Spelling, plural: Spelling) -> String? {
        let shown = "'\(name.upperCamel)'"
        if ReservedWords.types.contains(name.upperCamel) { return "\(shown) is a name of the Swift language." }
        for spelling in [name, plural] where ReservedWords.types.contains(spelling.upperCamel) {
            return "'\(spelling.upperCamel)' is a name of the Swift language."
        }
        for spelling in [name, plural] where ReservedWords.swift.contains(spelling.lowerCamel) {
            return "\(shown) makes variables called '\(spelling.lowerCamel)', a keyword of Swift."
        }
        for spelling in [name, plural] where Self.isEverywhere(spelling.upperCamel) {
            return "'\(spelling.upperCamel)' is a type of Swift or FoundationEssentials, which all code uses."
        }
        if let other = feature(like: name, plural) {
            return "\(shown) is taken: there is a feature '\(other)' in 'Modules/Features/\(other)'."
        }
        if plural.upperCamel.hasPrefix("Strata") {
            return "\(shown) would make modules that start with 'Strata', as those of the core do."
        }
        if repository.targets.contains(plural.upperCamel) {
            return
                "\(shown) would make the tests '\(plural.upperCamel)Tests'; 'Package.swift' has '\(plural.upperCamel)'."
        }
        for spelling in [name, plural] {
            if let other = repository.types[spelling.upperCamel] {
                return "'\(spelling.upperCamel)' is a type already, in '\(other.path)'."
            }
        }
        if ReservedWords.routes.contains(plural.kebab) || repository.routes.contains(plural.kebab) {
            return "\(shown) would be served at '/v1/\(plural.kebab)', which is taken."
        }
        if ReservedWords.commands.contains(plural.kebab) || repository.commands.contains(plural.kebab) {
            return "\(shown) would add the command '\(plural.kebab)', which is taken."
        }
        for table in [plural.snake, name.snake] where repository.tables.contains(table) {
            return "\(shown) would make the table '\(table)', which is taken."
        }
        if ReservedWords.sql.contains(plural.snake) {
            return "\(shown) would make the table '\(plural.snake)', a reserved word of SQL."
        }
        return nil
    }

    /// Whether a type of this name is seen by every source.
    private static func isEverywhere(_ name: String) -> Bool {
        ["Swift", "FoundationEssentials"].contains { ExportedNames.byModule[$0]?.contains(name) == true }
    }

    private func feature(like name: Spelling, _ plural: Spelling) -> String? {
        let wanted: Set<String> = [name.upperCamel.lowercased(), plural.upperCamel.lowercased()]
        return repository.features.sorted().first { wanted.contains($0.lowercased()) }
    }

    /// A name that is accepted.
    private func wayOut(of name: Spelling) -> String {
        for ending in ["Record", "Item", "File", "Case"] {
            let other = Spelling(name.upperCamel + ending)
            guard other.upperCamel.utf8.count <= Self.limit, let plural = Plural.of(other) else { continue }
            let isTaken = fault(of: other, plural: Spelling(plural)) != nil
            let isExported = ExportedNames.byModule.values.contains { $0.contains(other.upperCamel) }
            if !isTaken, !isExported { return "Use a longer name, such as '\(other.upperCamel)'." }
        }
        return "Use a longer name."
    }

    // MARK: Fields

    private func check(_ field: Field, of spec: FeatureSpec) throws(ScaffoldRefusal) {
        let other = "\(spec.name.lowerCamel)\(field.spelling.upperCamel)"
        func refuse(_ reason: String) -> ScaffoldRefusal {
            ScaffoldRefusal("The field '\(field.name)' \(reason). Use another name, such as '\(other)'.")
        }
        if ReservedWords.fields.contains(field.name) {
            throw refuse("is one that every item has, or that the generated code uses")
        }
        if ReservedWords.swift.contains(field.name) { throw refuse("is a keyword of Swift") }
        if ReservedWords.sql.contains(field.column) {
            throw refuse("would make the column '\(field.column)', a reserved word of SQL")
        }
        if ReservedWords.options.contains(field.option) {
            throw refuse("would make the option '--\(field.option)', which every command has")
        }
        if field.name == spec.name.lowerCamel || field.name == spec.plural.lowerCamel {
            throw refuse("is called like the feature itself")
        }
        // JSON's names are read back word by word: `userID` would come back as `userId`.
        let words = field.spelling.words
        let readBack = words.prefix(1) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        guard readBack.joined() == field.name else {
            throw ScaffoldRefusal(
                "The field '\(field.name)' is '\(field.column)' as JSON, which is read back as another name. Use "
                    + "'\(readBack.joined())'.")
        }
        if case .choice(let words) = field.kind {
            let type = field.spelling.upperCamel
            if ReservedWords.types.contains(type) || Self.isEverywhere(type) || type == spec.name.upperCamel {
                throw refuse("would make a type '\(type)' that hides another of that name")
            }
            if let word = words.first(where: { ReservedWords.swift.union(ReservedWords.choices).contains($0) }) {
                throw ScaffoldRefusal(
                    "The field '\(field.name)' has the choice '\(word)', a word of Swift. Use another, such as "
                        + "'\(word)\(field.spelling.upperCamel)'.")
            }
        }
        if case .reference(let reference) = field.kind, !repository.entities.contains(reference) {
            throw unknown(reference, of: field, in: spec)
        }
    }

    private func unknown(_ reference: FeatureReference, of field: Field, in spec: FeatureSpec) -> ScaffoldRefusal {
        if reference.entity == spec.name.upperCamel {
            return ScaffoldRefusal(
                "The field '\(field.name)' refers to '\(reference.entity)' itself, which is not supported. Use "
                    + "'\(field.name):uuid\(field.isOptional ? "?" : "")'.")
        }
        let names = repository.entities.map { "'\($0.entity)'" }.joined(separator: ", ")
        let like = repository.entities.first { $0.module == reference.entity } ?? repository.entities.first
        return ScaffoldRefusal(
            "The field '\(field.name)' refers to '\(reference.entity)', which no feature has; there are \(names). Use "
                + "'\(field.name):reference(\(like?.entity ?? "Runbook"))'.")
    }
}
