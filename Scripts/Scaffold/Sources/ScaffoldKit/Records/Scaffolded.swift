/// The answers from which this tool writes something that it can remove again: a feature, a client.
package protocol Scaffolded: Sendable, Hashable, Codable {
    /// What it is called in sentences and in the names of scripts: `feature`.
    static var noun: String { get }
    /// Where all of them are, below `Modules` and below `Tests`: `Features`.
    static var home: String { get }

    var name: Spelling { get }
    /// Its folder: `Incidents`.
    var module: String { get }
    /// The modules that others may import.
    var modules: [String] { get }
    /// The options that ask for it.
    var answers: String { get }
}

extension Scaffolded {
    /// Where the records are: `.scaffold/features`.
    package static var records: RelativePath { RelativePath(stringLiteral: ".scaffold/\(home.lowercased())") }

    /// Where the record of one of them is.
    package static func record(of name: String) throws(ScaffoldRefusal) -> RelativePath {
        try records.appending("\(name).json")
    }

    /// The start of a row in the list of `Package.swift`: `Feature("Incidents"`.
    static func row(_ module: String) -> String { "\(noun.prefix(1).uppercased())\(noun.dropFirst())(\"\(module)\"" }

    func folders() throws(ScaffoldRefusal) -> [RelativePath] {
        [try RelativePath("Modules/\(Self.home)/\(module)"), try RelativePath("Tests/\(Self.home)/\(module)")]
    }

    /// Whether it was made before from the same answers.
    ///
    /// - Parameter next: What to do when it was made from other answers, besides taking another name.
    func isThere(in tree: SourceTree, next: String) throws(ScaffoldRefusal) -> Bool {
        let path = try Self.record(of: name.upperCamel)
        guard let contents = try tree.contents(path) else { return false }
        let known = try ScaffoldRecord<Self>(contents, at: path).spec
        if known == self { return true }
        throw ScaffoldRefusal(
            "'\(name.upperCamel)' is there already, with other answers: \(known.answers). \(next), or use another name."
        )
    }
}
