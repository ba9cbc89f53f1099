/// The source of an entity, whose fields can be replaced or increased: their rows, their types and their properties.
struct EntitySource {
    private var lines: [String]
    private let path: RelativePath
    /// The access of its properties, such as `package `.
    private let access: String

    /// - Parameter entity: `Incident`.
    /// - Throws: A refusal when the file has no list of fields of that entity.
    init(_ text: String, of entity: String, at path: RelativePath) throws(ScaffoldRefusal) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        self.path = path
        let head = lines.first { $0.contains("fields: [EntityField<\(entity)>] = [") }
        guard let head, let start = head.firstRange(of: "static let fields") else {
            throw ScaffoldRefusal(
                "'\(path)' has no list 'static let fields: [EntityField<\(entity)>] = [' with a row in each line; a field is added "
                    + "by hand there.")
        }
        access = String(head[..<start.lowerBound].drop { $0 == " " })
    }

    var text: String { lines.joined(separator: "\n") }

    /// The list of fields: the lines between its brackets.
    private var rows: Range<Int> {
        let start = lines.firstIndex { $0.contains("fields: [EntityField<") } ?? 0
        let end = lines[start...].firstIndex { $0 == "    ]" } ?? start + 1
        return (start + 1)..<end
    }

    /// The stored properties behind the list of fields.
    private var properties: [Int] { places(behindRows: "    \(access)var ") { $0.contains(": ") && !$0.contains("{") } }
    private var choices: [Int] {
        places(behindRows: "    \(access)enum ") { $0.contains("FieldChoice {") && $0.hasSuffix("}") }
    }

    private func places(behindRows start: String, where isMeant: (String) -> Bool) -> [Int] {
        let first = rows.upperBound
        let end = lines[first...].firstIndex { $0 == "}" } ?? lines.endIndex
        return (first..<end).filter { lines[$0].hasPrefix(start) && isMeant(lines[$0]) }
    }

    // MARK: Changes

    /// Puts these fields in the place of those that are there.
    mutating func replaceFields(by fields: [Field]) {
        replace(properties, by: fields.map { "    \(access)\($0.property)" })
        replace(choices, by: fields.compactMap(\.choices).map { "    \(access)\($0)" })
        lines.replaceSubrange(rows, with: fields.map { "        \($0.row())," })
    }

    /// The lines of the first place; those of the others go, and an empty line that nothing separates any more.
    private mutating func replace(_ places: [Int], by new: [String]) {
        guard let first = places.first else { return }
        for place in places.reversed() { lines.remove(at: place) }
        lines.insert(contentsOf: new, at: first)
        if new.isEmpty, first > 0, lines[first].isEmpty, lines[first - 1].isEmpty { lines.remove(at: first) }
    }

    /// Adds a field behind the others.
    ///
    /// - Returns: Whether the file changed: it does not when the field is there as asked for.
    /// - Throws: A refusal when another field has the name.
    mutating func add(_ field: Field) throws(ScaffoldRefusal) -> Bool {
        let known = lines[rows].first { $0.contains(".init(\"\(field.column)\",") }
        if let known {
            let isSame =
                known.contains(field.row()) && lines.contains("    \(access)\(field.property)")
                && (field.choices.map { lines.contains("    \(access)\($0)") } ?? true)
            if isSame { return false }
            throw ScaffoldRefusal(
                "'\(path)' has a field '\(field.name)' already: \(known.drop { $0 == " " }) Edit that, or use another name."
            )
        }
        // `.renamed(from: "place")`, `.retyped(from: "weight", …`, `.init("level", removed: 0)`
        let former = ["from: \"\(field.column)\"", ".init(\"\(field.column)\", removed:"]
        if let line = lines.first(where: { line in former.contains { line.contains($0) } }) {
            throw ScaffoldRefusal(
                "'\(path)' had a field '\(field.name)' in an earlier version, whose column is still there: "
                    + "\(line.drop { $0 == " " }) Use another name.", .usage)
        }
        guard let last = properties.last else {
            throw ScaffoldRefusal(
                "'\(path)' has no stored property behind its list of fields, so the place for '\(field.name)' is not known; add it by "
                    + "hand.")
        }
        lines.insert("    \(access)\(field.property)", at: last + 1)
        if let choice = field.choices {
            let line = "    \(access)\(choice)"
            if let place = choices.last {
                lines.insert(line, at: place + 1)
            } else {
                var place = properties[0]
                while lines[place - 1].hasPrefix("    ///") { place -= 1 }
                lines.insert(contentsOf: [line, ""], at: place)
            }
        }
        let row = "        \(field.row(since: nextVersion)),"
        // The formatter takes the comma from a list with one row.
        if let end = rows.last(where: { !lines[$0].drop { $0 == " " }.hasPrefix("//") }), !lines[end].hasSuffix(",") {
            lines[end] += ","
        }
        lines.insert(row, at: rows.upperBound)
        return true
    }

    /// The migration after the last one that a field or a removed one names; 2 when none does.
    var nextVersion: Int {
        let versions = lines.compactMap { line in
            line.firstRange(of: ".since(").flatMap { Int(line[$0.upperBound...].prefix { $0.isNumber }) }
        }
        return (versions.max() ?? 1) + 1
    }

    /// Says to whom the rows of the example belong, when it is not everyone.
    mutating func setOwnership(_ ownership: FeatureSpec.Ownership) {
        if let known = lines.firstIndex(where: { $0.contains("static let ownership") }) {
            lines.remove(at: known)
            if lines[known - 1].hasPrefix("    ///") { lines.remove(at: known - 1) }
        }
        guard let place = lines.firstIndex(where: { $0.contains("static let collection") }) else { return }
        let sentence =
            switch ownership {
            case .everyone: ""
            case .author: "Only the author of a specimen and administrators read and change it."
            case .space: "The members of its space read and change a specimen, as their roles say."
            case .readableByAll: "All users read a specimen; its author and administrators change it."
            }
        guard !sentence.isEmpty else { return }
        lines.insert(
            contentsOf: ["    /// \(sentence)", "    \(access)static let ownership = Ownership.\(ownership.swift)"],
            at: place + 1)
    }

    /// Imports what the properties need.
    ///
    /// - Parameters:
    ///   - modules: The Domain modules of other features whose ids are named.
    ///   - isNew: Whether what is not needed goes, too.
    mutating func setImports(of modules: [String], foundation: Bool, isNew: Bool) {
        let wanted = modules + (foundation ? ["FoundationEssentials"] : [])
        if isNew { lines.removeAll { $0.hasPrefix("package import ") && !$0.hasSuffix(" StrataDomain") } }
        for module in wanted where !lines.contains("package import \(module)") {
            lines.removeAll { $0 == "import \(module)" }
            let place = lines.firstIndex { $0.hasPrefix("package import ") && $0 > "package import \(module)" }
            lines.insert("package import \(module)", at: place ?? 0)
        }
    }
}
