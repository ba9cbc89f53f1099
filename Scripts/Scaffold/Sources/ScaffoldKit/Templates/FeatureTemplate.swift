/// Writes a feature by copying the example, `Modules/Features/Specimens`, with other names and fields.
package struct FeatureTemplate: Sendable {
    private let example: SourceTree
    private let formatter: any SourceFormatter

    /// - Parameters:
    ///   - strata: The tree of Strata, which has the example.
    ///   - formatter: Sorts imports and breaks long lines.
    package init(strata: SourceTree, formatter: any SourceFormatter = SwiftFormat()) {
        (example, self.formatter) = (strata, formatter)
    }

    /// The files of the example for a policy; those in a folder `Offline` are for features that work offline.
    static func paths(_ policy: FeatureSpec.Policy, in tree: SourceTree) throws(ScaffoldRefusal) -> [RelativePath] {
        try tree.example("Specimens", of: FeatureSpec.self).filter {
            policy == .offline || !$0.components.contains("Offline")
        }
    }

    /// - Parameter rules: The text of `.swift-format`.
    /// - Throws: A refusal when the example is missing or the formatter does not run.
    package func render(
        _ spec: FeatureSpec, references: [EntityPlace], rules: String
    ) throws(ScaffoldRefusal) -> [RelativePath: String] {
        var files: [RelativePath: String] = [:]
        for path in try Self.paths(spec.policy, in: example) {
            var text = try example.text(path)
            if path.name == "Specimen.swift" {
                var source = try EntitySource(text, of: "Specimen", at: path)
                source.replaceFields(by: spec.fields)
                source.setOwnership(spec.ownership)
                source.setImports(
                    of: references.map(\.domain), foundation: spec.fields.contains(where: \.needsFoundation),
                    isNew: true)
                text = source.text
            }
            let place = path.description.replacing("Specimens", with: spec.module)
                .replacing("Specimen", with: spec.name.upperCamel)
            files[try RelativePath(place)] = Self.words(spec).replaced(in: text)
        }
        return try formatter.formatted(files, by: rules)
    }

    /// The example's words, and what stands for them; the first that fits a place counts.
    private static func words(_ spec: FeatureSpec) -> Words {
        let (name, plural) = (spec.name, spec.plural)
        let isVowel = "aeio".contains(name.spoken.prefix(1)) && !name.spoken.hasPrefix("one")
        return Words([
            ("func `specimens", "func `\(plural.spoken)"), ("`specimens", "`\(plural.kebab)"),
            ("\"specimens\"", "\"\(plural.snake)\""),
            (" a specimen", " \(isVowel ? "an" : "a") \(name.spoken)"), ("Specimens", plural.upperCamel),
            ("Specimen", name.upperCamel), ("specimens", plural.spoken), ("specimen", name.spoken),
        ])
    }
}

extension SourceTree {
    /// The files that others are copied from.
    ///
    /// - Throws: A refusal when they are missing.
    func example<Spec: Scaffolded>(_ name: String, of kind: Spec.Type) throws(ScaffoldRefusal) -> [RelativePath] {
        let folders = ["Modules/\(Spec.home)/\(name)", "Tests/\(Spec.home)/\(name)"]
        var paths: [RelativePath] = []
        for folder in folders { paths += try self.paths(under: RelativePath(folder)) }
        guard !paths.isEmpty else {
            throw ScaffoldRefusal(
                "The example that \(Spec.noun)s are copied from is not in '\(folders[0])' of Strata; restore it with "
                    + "'git checkout -- \(folders.joined(separator: " "))'.")
        }
        return paths
    }
}

/// Replaces words in one pass, so that what was written is not replaced again.
struct Words {
    private let pairs: [(old: Substring, new: String)]
    private let firsts: Set<Character>

    init(_ pairs: [(String, String)]) {
        self.pairs = pairs.map { (Substring($0.0), $0.1) }
        firsts = Set(pairs.compactMap(\.0.first))
    }

    func replaced(in text: String) -> String {
        var result = ""
        var rest = Substring(text)
        while let character = rest.first {
            if firsts.contains(character), let (old, new) = pairs.first(where: { rest.hasPrefix($0.old) }) {
                result += new
                rest = rest.dropFirst(old.count)
            } else {
                result.append(character)
                rest.removeFirst()
            }
        }
        return result
    }
}
