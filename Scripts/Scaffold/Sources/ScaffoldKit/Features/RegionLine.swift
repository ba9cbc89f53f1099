/// One line of a marked list, without indentation.
package struct RegionLine: Sendable, Hashable {
    package let file: RelativePath
    /// The word behind `scaffold:begin`.
    package let region: String
    package let line: String

    package init(file: RelativePath, region: String, line: String) {
        (self.file, self.region, self.line) = (file, region, line)
    }

    /// The lines among `lines` that make the same thing from other values: `IncidentsService(telling: mail)` for `IncidentsService()`.
    func edited(among lines: [String]) -> [String] {
        let start = line.prefix { $0 != ")" && $0 != "," }
        return start.count == line.count ? [] : lines.filter { $0.hasPrefix(start) && $0 != line }
    }

    static let manifest: RelativePath = "Package.swift"
    static let backend: RelativePath = "Apps/Backend/Features.swift"
    static let commands: RelativePath = "Apps/CLI/Features/CommandSet+All.swift"
    static let synchronised: RelativePath = "Apps/CLI/Features/Synchronised.swift"

    /// The lines of a feature in all lists.
    ///
    /// - Parameter references: Other features whose ids it names.
    static func all(for spec: FeatureSpec, references: [EntityPlace]) -> [RegionLine] {
        let (module, entity) = (spec.module, spec.name.upperCamel)
        let others = references.map { "\"\($0.feature)\"" }.joined(separator: ", ")
        let refers = others.isEmpty ? "" : ", refersTo: [\(others)]"
        var lines = [
            RegionLine(
                file: manifest, region: "features", line: "Feature(\"\(module)\", .\(spec.policy.rawValue)\(refers))"),
            RegionLine(file: backend, region: "imports", line: "import \(module)Service"),
            RegionLine(file: backend, region: "features", line: "\(module)Service()"),
            RegionLine(file: commands, region: "imports", line: "import \(module)Domain"),
            RegionLine(file: commands, region: "imports", line: "import \(module)Presentation"),
            RegionLine(
                file: commands, region: "features",
                line: ".\(spec.policy.rawValue)(\(module)Group.self, \(entity).self),"),
        ]
        if spec.policy == .offline {
            lines += [
                RegionLine(file: synchronised, region: "imports", line: "import \(module)Domain"),
                RegionLine(file: synchronised, region: "synchronised", line: "Synchronised.entity(\(entity).self)"),
            ]
        }
        return lines
    }

    /// The row of a client.
    static func row(of spec: ClientSpec) -> RegionLine {
        RegionLine(file: manifest, region: "clients", line: "\(ClientSpec.row(spec.module)))")
    }
}
