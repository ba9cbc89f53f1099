/// The template's files under version control, by path, as a service is made of them.
package struct TemplateTree: Sendable {
    package let files: [String: FileContents]
    /// The commit the files are of.
    package let commit: String
    /// Whether files differ from the commit.
    package let isModified: Bool

    package init(files: [String: FileContents], commit: String, isModified: Bool) {
        self.files = files
        self.commit = commit
        self.isModified = isModified
    }

    /// - Throws: A refusal when the file is not part of the template.
    func text(_ path: String) throws(ScaffoldRefusal) -> String {
        guard let text = files[path]?.text else {
            throw ScaffoldRefusal("The template has no '\(path)' under version control; restore it.")
        }
        return text
    }

    /// The features of the template, sorted, each with those whose parts it uses.
    func features() throws(ScaffoldRefusal) -> [(name: String, sees: [String])] {
        let region = try MarkedRegion("features", in: text("Package.swift"), of: "Package.swift")
        return region.lines.compactMap { line in
            let words = line.split(separator: "\"", omittingEmptySubsequences: false)
            guard words.count >= 2, words[0] == "Feature(" else { return nil }
            let sees = line.split(separator: "sees: [").dropFirst().first?.split(separator: "]").first ?? ""
            return (
                String(words[1]), sees.split(separator: "\"").map(String.init).filter { $0.first?.isLetter == true }
            )
        }
    }

    /// The features that `--features` and `--spaces` mean, sorted.
    ///
    /// - Parameters:
    ///   - choice: `demo`, `none`, or names with commas between them.
    ///   - withSpaces: Default: `false`.
    /// - Throws: A refusal naming what there is.
    package func chosen(_ choice: String, withSpaces: Bool) throws(ScaffoldRefusal) -> [String] {
        (try chosen(choice) + (withSpaces ? [OptionalFeature.spaces.name] : [])).sorted()
    }

    package func chosen(_ choice: String) throws(ScaffoldRefusal) -> [String] {
        let all = try features()
        if choice == "demo" { return all.map(\.name).sorted() }
        if choice == "none" { return [] }
        let names = Set(choice.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        for name in names.sorted() {
            guard let feature = all.first(where: { $0.name == name }) else {
                let known = all.map(\.name).sorted().joined(separator: ", ")
                throw ScaffoldRefusal(
                    "'\(name.printable)' is no feature to choose; write demo, none, or some of: \(known).", .usage)
            }
            for other in feature.sees where !names.contains(other) {
                throw ScaffoldRefusal(
                    "The feature '\(name)' uses '\(other)'; write --features \((names.union([other])).sorted().joined(separator: ",")).",
                    .usage
                )
            }
        }
        return names.sorted()
    }
}
