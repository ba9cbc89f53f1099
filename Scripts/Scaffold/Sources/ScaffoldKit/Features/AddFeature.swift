/// Plans a new feature.
package struct AddFeature: Sendable {
    /// What is asked for, as it was typed.
    package struct Request: Sendable, Hashable {
        package var name: String
        package var plural: String?
        package var fields: String
        package var policy: FeatureSpec.Policy

        package init(
            name: String, plural: String? = nil, fields: String = "title:string(1..200)",
            policy: FeatureSpec.Policy = .offline
        ) {
            self.name = name
            self.plural = plural
            self.fields = fields
            self.policy = policy
        }
    }

    package let spec: FeatureSpec
    /// Empty when the feature is there already, as it is asked for.
    package let plan: Plan

    /// - Throws: A refusal; nothing was written.
    package init(
        _ request: Request, to tree: SourceTree, renderer: some FeatureRenderer
    ) throws(ScaffoldRefusal) {
        let names = try NameRules.names(request.name, plural: request.plural)
        let fields = try FieldParser.parse(request.fields)
        guard !fields.isEmpty else {
            throw ScaffoldRefusal(
                "'\(names.name.upperCamel)' has no field; one is needed: --fields 'title:string(1..200)'.")
        }
        let typed = FeatureSpec(name: names.name, plural: names.plural, fields: fields, policy: request.policy)
        if let known = try Self.known(typed, in: tree) {
            spec = known
            plan = try Plan([], checks: ["'\(typed.name.upperCamel)' is there already, as it is asked for."], in: tree)
            return
        }

        let repository = try RepositoryNames(tree)
        spec = repository.resolving(typed)
        let rules = NameRules(repository)
        try rules.check(spec)
        let rendered = try renderer.render(spec, from: tree)
        let sources = rendered.files.filter { $0.key.name.hasSuffix(".swift") }.map(\.value)
        try rules.check(spec, declares: Self.types(of: sources), imports: Self.imports(of: sources))
        try Self.checkFolders(of: spec, in: tree)
        plan = try Plan(
            Self.changes(rendered, FeatureRecord(spec, rendered)),
            checks: [
                "The names of the feature, its types, address, command and table are free.",
                "\(rendered.regionLines.count) lists have their markers.",
            ], in: tree)
    }

    /// The feature when it was written before from the same request.
    private static func known(_ spec: FeatureSpec, in tree: SourceTree) throws(ScaffoldRefusal) -> FeatureSpec? {
        let path = try FeatureRecord.path(of: spec.name.upperCamel)
        guard let contents = try tree.contents(path) else { return nil }
        let known = try FeatureRecord(contents, at: path).spec
        if known == spec
            || (known.name == spec.name && known.plural == spec.plural
                && known.fieldsText == spec.fieldsText && known.policy == spec.policy)
        {
            return known
        }
        throw ScaffoldRefusal(
            "'\(spec.name.upperCamel)' is there already, with other answers: --plural \(known.plural.upperCamel) --policy "
                + "\(known.policy.rawValue) --fields '\(known.fieldsText)'. Take it out first with "
                + "'Scripts/remove-feature \(spec.name.upperCamel)', or use another name.")
    }

    /// Folders that are there belong to somebody.
    private static func checkFolders(of spec: FeatureSpec, in tree: SourceTree) throws(ScaffoldRefusal) {
        for parent in ["Modules/Features", "Tests/Features"] as [RelativePath] {
            let found = try tree.names(in: parent).first { $0.lowercased() == spec.module.lowercased() }
            if let found {
                throw ScaffoldRefusal(
                    "The folder '\(parent)/\(found)' is there already; move it away, or choose another word with --plural."
                )
            }
        }
    }

    private static func changes(_ rendered: RenderedFeature, _ record: FeatureRecord) throws(ScaffoldRefusal)
        -> [FileChange]
    {
        let files = rendered.files.map { FileChange.create($0.key, FileContents($0.value)) }
        let lines = rendered.regionLines.map {
            FileChange.editRegion($0.file, region: $0.region, adding: [$0.line], removing: [])
        }
        return files + lines + [.create(try FeatureRecord.path(of: record.spec.name.upperCamel), record.contents)]
    }

    /// Types that stand for themselves; one inside another has the outer one's name before it.
    private static func types(of sources: [String]) -> Set<String> {
        Set(
            sources.flatMap { source in
                source.split(separator: "\n").filter { $0.first != " " }.compactMap { RepositoryNames.declared(by: $0) }
            })
    }

    private static func imports(of sources: [String]) -> Set<String> {
        Set(
            sources.flatMap { source in
                source.split(separator: "\n").compactMap { line -> String? in
                    let words = line.split(separator: " ")
                    guard let at = words.firstIndex(of: "import"), at < 3, at + 1 < words.count else { return nil }
                    return words.last.map(String.init)
                }
            })
    }
}
