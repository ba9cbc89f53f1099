/// The line a feature has in each list.
enum RegionLines {
    static func all(for spec: FeatureSpec, in tree: SourceTree) throws(ScaffoldRefusal) -> [RegionLine] {
        let references = spec.references.map(\.module).filter { $0 != spec.module }.map { "\"\($0)\"" }
        let refers = references.isEmpty ? "" : ", refersTo: [\(references.joined(separator: ", "))]"
        var lines = [
            RegionLine(
                file: "Package.swift", region: "features",
                line: "Feature(\"\(spec.module)\", .\(spec.policy.rawValue)\(refers))"),
            RegionLine(file: "Apps/Backend/Features.swift", region: "imports", line: "import \(spec.module)Service"),
            RegionLine(file: "Apps/Backend/Features.swift", region: "features", line: "\(spec.module)Service()"),
            RegionLine(file: commands, region: "imports", line: "import \(spec.module)Domain"),
            RegionLine(file: commands, region: "imports", line: "import \(spec.module)Presentation"),
            RegionLine(
                file: commands, region: "features",
                line: ".\(spec.policy.rawValue)(\(spec.module)Group.self, \(spec.name.upperCamel).self),"),
            RegionLine(
                file: "Docs/Features/README.md", region: "features",
                line: "- [\(spec.plural.title)](\(spec.plural.kebab).md): \(sentence[spec.policy] ?? "")"),
        ]
        if spec.policy == .offline {
            lines += [
                RegionLine(file: synchronised, region: "imports", line: "import \(spec.module)Domain"),
                RegionLine(
                    file: synchronised, region: "synchronised",
                    line: "Synchronised.entity(\(spec.name.upperCamel).self)"),
            ]
        }
        return lines
    }

    private static let commands: RelativePath = "Apps/CLI/Features/CommandSet+All.swift"
    private static let synchronised: RelativePath = "Apps/CLI/Features/Synchronised.swift"

    private static let sentence: [FeatureSpec.Policy: String] = [
        .remote: "asked from the server each time",
        .cached: "read without the server, too",
        .offline: "written offline, synchronised later",
    ]
}
