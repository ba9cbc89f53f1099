/// The features that this tool wrote into a tree, by their records.
package struct FeatureCatalog: Sendable {
    private let tree: SourceTree

    package init(_ tree: SourceTree) { self.tree = tree }

    /// Names of the records, sorted.
    package func names() throws(ScaffoldRefusal) -> [String] {
        try tree.names(in: FeatureRecord.folder).filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    }

    /// The record of a feature, by its name in one or in several, in any case.
    ///
    /// - Throws: A refusal that lists the features there are.
    package func record(of name: String) throws(ScaffoldRefusal) -> FeatureRecord {
        let small = name.lowercased()
        for known in try names() {
            let record = try record(named: known)
            if [record.spec.name.upperCamel, record.spec.plural.upperCamel].contains(where: { $0.lowercased() == small }
            ) {
                return record
            }
        }
        let known = try names()
        let isWritten = try tree.names(in: "Modules/Features").contains { $0.lowercased() == small }
        let reason =
            isWritten
            ? "'\(name.printable)' is a feature, but was not made by Scripts/new-feature, so what belongs to it is unknown."
            : "There is no feature '\(name.printable)'."
        throw ScaffoldRefusal(
            reason
                + (known.isEmpty
                    ? " No feature was made by Scripts/new-feature yet."
                    : " Made by Scripts/new-feature: \(known.joined(separator: ", "))."))
    }

    package func record(named name: String) throws(ScaffoldRefusal) -> FeatureRecord {
        let path = try FeatureRecord.path(of: name)
        guard let contents = try tree.contents(path) else {
            throw ScaffoldRefusal("'\(path)' is no file; restore it.")
        }
        return try FeatureRecord(contents, at: path)
    }

    package func records() throws(ScaffoldRefusal) -> [FeatureRecord] {
        var records: [FeatureRecord] = []
        for name in try names() { records.append(try record(named: name)) }
        return records
    }
}
