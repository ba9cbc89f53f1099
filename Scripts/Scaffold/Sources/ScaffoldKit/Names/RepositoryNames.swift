/// What a repository has taken already: types, features, routes, commands, tables.
package struct RepositoryNames: Sendable {
    /// A type that other modules may see, and where it is.
    package struct Declared: Sendable, Hashable {
        package let name: String
        package let path: RelativePath
    }

    /// By name.
    package private(set) var types: [String: Declared] = [:]
    /// Modules of the features: `Runbooks`.
    package private(set) var features: Set<String> = []
    /// Words in quotes in `Package.swift`: modules, tests, features.
    package private(set) var targets: Set<String> = []
    /// First parts of the addresses, behind `/v1`: `runbooks`.
    package private(set) var routes: Set<String> = []
    package private(set) var commands: Set<String> = []
    package private(set) var tables: Set<String> = []
    /// Things with identifiers of their own, and the feature they belong to; a reference may point to these.
    package private(set) var entities: [FeatureReference] = []

    /// Reads every source below `Modules` and `Apps`, and in a service what Strata's modules have.
    package init(_ tree: SourceTree) throws(ScaffoldRefusal) {
        features = Set(try tree.names(in: "Modules/Features"))
        if let manifest = try tree.contents("Package.swift")?.text {
            let parts = manifest.split(separator: "\"", omittingEmptySubsequences: false)
            targets = Set(parts.indices.filter { !$0.isMultiple(of: 2) }.map { String(parts[$0]) })
        }
        for root in ["Modules", "Apps"] as [RelativePath] {
            for path in try tree.paths(under: root) where path.name.hasSuffix(".swift") {
                guard let contents = try tree.contents(path) else { continue }
                read(contents.bytes, at: path)
            }
        }
        if let brought = try tree.contents(Self.broughtPath)?.text { add(brought) }
        entities.sort { $0.entity < $1.entity }
    }

    private mutating func read(_ bytes: [UInt8], at path: RelativePath) {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            // Of a line that is indented only what names an address, a command, a table or an identifier counts.
            let isIndented = line.first == UInt8(ascii: " ")
            if isIndented, !Self.mayName(line) { continue }
            let text = String(decoding: line, as: UTF8.self)
            if text.drop(while: { $0 == " " }).hasPrefix("//") { continue }
            if isIndented { readName(text, at: path) } else { readDeclaration(text, at: path) }
        }
    }

    private mutating func readDeclaration(_ line: String, at path: RelativePath) {
        guard let name = Self.declared(by: line), Self.isSeenOutside(line) else { return }
        types[name] = Declared(name: name, path: path)
        // `package struct Incident: Entity {`: what this tool writes.
        if line.hasSuffix("struct \(name): Entity {") { addEntity(name, at: path) }
    }

    /// Whether other modules may see what a line declares.
    private static func isSeenOutside(_ line: String) -> Bool {
        let start = line.prefix { $0 != "{" && $0 != ":" }
        return start.split(separator: " ").contains { ["public", "package", "open"].contains($0) }
    }

    /// The type that a line without indentation declares for other files to see.
    static func declared(by line: some StringProtocol) -> String? {
        guard let first = line.first, first != " ", first != "/" else { return nil }
        var words = line.split(whereSeparator: { " :<({,=".contains($0) })[...]
        while let word = words.first, word.hasPrefix("@") || modifiers.contains(String(word)) { words.removeFirst() }
        guard let kind = words.popFirst(), kinds.contains(String(kind)), let name = words.first else { return nil }
        return line.hasPrefix("private") || line.hasPrefix("fileprivate") ? nil : String(name)
    }

    /// `spec` with each reference led to the feature that has the entity.
    package func resolving(_ spec: FeatureSpec) -> FeatureSpec {
        let fields = spec.fields.map { field in
            guard case .reference(let other) = field.kind,
                let found = entities.first(where: { $0.entity == other.entity })
            else { return field }
            return Field(
                field.name, .reference(found), isOptional: field.isOptional, isUnique: field.isUnique,
                isRedacted: field.isRedacted)
        }
        return FeatureSpec(name: spec.name, plural: spec.plural, fields: fields, policy: spec.policy)
    }

    private mutating func readName(_ line: String, at path: RelativePath) {
        if let route = Self.behind("Route.", line), let address = route.split(separator: "\"").dropFirst().first {
            let parts = address.split(separator: "/")
            if let first = parts.first(where: { $0 != "v1" }) { routes.insert(String(first)) }
        }
        if let command = Self.behind("commandName: \"", line)?.split(separator: "\"").first {
            commands.insert(String(command))
        }
        // The cache has a database of its own.
        if let table = Self.behind("CREATE TABLE ", line), !path.isWithin("Modules/Data/Caching") {
            let words = table.split(whereSeparator: { " (\"".contains($0) }).drop {
                ["IF", "NOT", "EXISTS"].contains($0)
            }
            if let name = words.first { tables.insert(name.lowercased()) }
        }
        if let collection = Self.behind("static let collection = \"", line)?.split(separator: "\"").first {
            let path = collection.replacing("_", with: "-")
            tables.insert(String(collection))
            routes.insert(String(path))
            commands.insert(String(path))
        }
        if let entity = Self.behind("typealias ID = Identifier<", line)?.split(separator: ">").first {
            addEntity(String(entity), at: path)
        }
    }

    private mutating func addEntity(_ name: String, at path: RelativePath) {
        let parts = path.components
        guard path.isWithin("Modules/Features"), parts.count > 4, parts[3] == "Domain" else { return }
        entities.append(FeatureReference(entity: name, module: parts[2]))
    }

    private static func behind(_ start: String, _ line: String) -> Substring? {
        line.firstRange(of: start).map { line[$0.upperBound...] }
    }

    /// Whether one of the texts that `readName` looks for may be there, found without decoding.
    private static func mayName(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.count > 12 else { return false }
        for index in line.indices.dropLast(4) {
            switch line[index] {
            case UInt8(ascii: "R") where line[index + 1] == UInt8(ascii: "o") && line[index + 2] == UInt8(ascii: "u"),
                UInt8(ascii: "c")
            where line[index + 1] == UInt8(ascii: "o")
                && [UInt8(ascii: "m"), UInt8(ascii: "l")].contains(line[index + 2]),
                UInt8(ascii: "C") where line[index + 1] == UInt8(ascii: "R") && line[index + 2] == UInt8(ascii: "E"),
                UInt8(ascii: "I") where line[index + 1] == UInt8(ascii: "D") && line[index + 2] == UInt8(ascii: " "):
                return true
            default: continue
            }
        }
        return false
    }

    private static let kinds: Set<String> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    private static let modifiers: Set<String> = [
        "public", "package", "internal", "open", "final", "indirect", "nonisolated", "private", "fileprivate",
    ]
}

// MARK: - Strata's names in a service

/// A service has Strata's modules from elsewhere: a copy, a link, a fetched package. Their names come as a list instead, a line
/// for each: `type Console Strata/Modules/Terminal/Console.swift`, `route sync`, `command status`, `table account`.
extension RepositoryNames {
    package static let broughtPath: RelativePath = "Scripts/Scaffold/strata.names"

    /// The list for a service that is made of these files of the template.
    package static func brought(by files: [String: FileContents]) throws(ScaffoldRefusal) -> FileContents {
        var names = RepositoryNames()
        for (path, contents) in files
        where path.hasPrefix("Modules/") && !path.hasPrefix("Modules/Features/") && path.hasSuffix(".swift") {
            names.read(contents.bytes, at: try RelativePath(path))
        }
        let lines =
            names.types.values.map { "type \($0.name) Strata/\($0.path)" } + names.routes.map { "route \($0)" }
            + names.commands.map { "command \($0)" } + names.tables.map { "table \($0)" }
        return FileContents(lines.sorted().joined(separator: "\n") + "\n")
    }

    private init() {}

    private mutating func add(_ list: String) {
        for line in list.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            switch (words.first, words.count) {
            case ("type", 3):
                guard let path = try? RelativePath(words[2]) else { continue }
                types[words[1]] = Declared(name: words[1], path: path)
            case ("route", 2): routes.insert(words[1])
            case ("command", 2): commands.insert(words[1])
            case ("table", 2): tables.insert(words[1])
            default: continue
            }
        }
    }
}
