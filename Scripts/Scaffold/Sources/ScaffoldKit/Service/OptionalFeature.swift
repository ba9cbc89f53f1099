/// A feature of Strata that a service has only where its maker asks for it; the demo does not have it. Its sources come along as those of a
/// feature of the demo do, and its lines are written into the lists of the apps.
struct OptionalFeature: Sendable {
    /// The folder under `Modules/Features` and `Tests/Features`.
    let name: String
    private let lines: [RegionLine]

    static let all = [spaces]

    /// Groups of users with rows of their own: `new-service --spaces`.
    static let spaces = OptionalFeature(
        name: "Spaces",
        lines: [
            RegionLine(
                file: RegionLine.manifest, region: "features", line: #"Feature("Spaces", .remote, own: [.api, .data])"#),
            RegionLine(file: RegionLine.backend, region: "imports", line: "import SpacesService"),
            RegionLine(file: RegionLine.backend, region: "features", line: "SpacesService()"),
            RegionLine(file: RegionLine.commands, region: "features", line: ".spaces,"),
            RegionLine(file: RegionLine.synchronised, region: "imports", line: "import SpacesDomain"),
            RegionLine(file: RegionLine.synchronised, region: "synchronised", line: "Synchronised.entity(Space.self)"),
        ])

    /// The template with the lines of the feature.
    ///
    /// - Throws: A refusal when a list is not as this tool knows it.
    func added(to tree: TemplateTree) throws(ScaffoldRefusal) -> TemplateTree {
        var files = tree.files
        for line in lines {
            let path = "\(line.file)"
            // A template of a test has few files.
            guard let contents = files[path], let text = contents.text else { continue }
            let region = try MarkedRegion(line.region, in: text, of: line.file, adding: line.line)
            files[path] = FileContents(
                try region.editing(adding: [line.line]), isExecutable: contents.isExecutable)
        }
        return TemplateTree(files: files, commit: tree.commit, isModified: tree.isModified)
    }
}
