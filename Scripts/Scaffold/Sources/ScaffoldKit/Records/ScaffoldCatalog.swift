/// The features or the clients that this tool wrote into a tree, by their records.
package struct ScaffoldCatalog<Spec: Scaffolded>: Sendable {
    private let tree: SourceTree

    package init(_ tree: SourceTree) { self.tree = tree }

    /// Names of the records, sorted.
    package func names() throws(ScaffoldRefusal) -> [String] {
        try tree.names(in: Spec.records).filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    }

    /// The record of one of them, by its name or its folder, in any case.
    ///
    /// - Throws: A refusal that lists those there are.
    package func record(of name: String) throws(ScaffoldRefusal) -> ScaffoldRecord<Spec> {
        let small = name.lowercased()
        let known = try names()
        for one in known {
            let record = try record(named: one)
            if [record.spec.name.upperCamel, record.spec.module].contains(where: { $0.lowercased() == small }) {
                return record
            }
        }
        let home = RelativePath(stringLiteral: "Modules/\(Spec.home)")
        let isWritten = try tree.names(in: home).contains { $0.lowercased() == small }
        let (noun, script) = (Spec.noun, "Scripts/new-\(Spec.noun)")
        let reason =
            isWritten
            ? "'\(name.printable)' is a \(noun), but was not made by \(script), so what belongs to it is unknown."
            : "There is no \(noun) '\(name.printable)'."
        throw ScaffoldRefusal(
            reason
                + (known.isEmpty
                    ? " No \(noun) was made by \(script) yet."
                    : " Made by \(script): \(known.joined(separator: ", "))."))
    }

    private func record(named name: String) throws(ScaffoldRefusal) -> ScaffoldRecord<Spec> {
        let path = try Spec.record(of: name)
        guard let contents = try tree.contents(path) else {
            throw ScaffoldRefusal("'\(path)' is no file; restore it.")
        }
        return try ScaffoldRecord(contents, at: path)
    }

    package func records() throws(ScaffoldRefusal) -> [ScaffoldRecord<Spec>] {
        try names().mapThrowing { name throws(ScaffoldRefusal) in try record(named: name) }
    }
}
