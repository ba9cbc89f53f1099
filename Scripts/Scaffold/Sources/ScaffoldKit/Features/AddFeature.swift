/// Plans a new feature.
package struct AddFeature: Sendable {
    /// The arguments, as they were typed.
    package struct Request: Sendable, Hashable {
        package var name: String
        package var plural: String?
        package var fields: String
        package var policy: FeatureSpec.Policy
        package var ownership: FeatureSpec.Ownership

        package init(
            name: String, plural: String? = nil, fields: String = "title:string(1..200)",
            policy: FeatureSpec.Policy = .cached, ownership: FeatureSpec.Ownership = .everyone
        ) {
            (self.name, self.plural, self.fields) = (name, plural, fields)
            (self.policy, self.ownership) = (policy, ownership)
        }
    }

    package let spec: FeatureSpec
    /// Empty when the feature is there already, as it is asked for.
    package let plan: Plan

    /// - Parameters:
    ///   - tree: The repository that gets the feature.
    ///   - strata: The tree of Strata, which has the example and the users.
    /// - Throws: A refusal; nothing was written.
    package init(
        _ request: Request, to tree: SourceTree, from strata: SourceTree, formatter: any SourceFormatter = SwiftFormat()
    ) throws(ScaffoldRefusal) {
        let names = try FeatureNames.read(request.name, plural: request.plural)
        let fields = try FieldParser.parse(request.fields)
        guard !fields.isEmpty else {
            throw ScaffoldRefusal(
                "'\(names.name.upperCamel)' has no field; write at least one: --fields 'title:string(1..200)'.", .usage)
        }
        spec = FeatureSpec(
            name: names.name, plural: names.plural, fields: fields, policy: request.policy,
            ownership: request.ownership)
        if spec.ownership == .space {
            guard spec.policy != .cached else {
                throw ScaffoldRefusal(
                    "Responses in the cache would outlive a membership; use --policy offline or --policy remote for "
                        + "'\(names.name.upperCamel)', which belongs to a space.", .usage)
            }
            let space = fields.first { "\($0)".hasPrefix("spaceId:reference(Space") && !$0.isOptional }
            guard space != nil else {
                throw ScaffoldRefusal(
                    "'\(names.name.upperCamel)' belongs to a space and does not say to which; begin --fields with "
                        + "'spaceId:reference(Space,cascade)'.", .usage)
            }
        }
        for field in fields {
            try FeatureNames.check(field, of: spec.name)
            guard case .reference(_, .clear) = field.kind, !field.isOptional else { continue }
            throw ScaffoldRefusal(
                "The field '\(field)' has no value once what it names is deleted, so it must be optional: "
                    + "'\(field.optional)'.", .usage)
        }
        let name = spec.name.upperCamel
        let isThere = try spec.isThere(
            in: tree,
            next: "Add a field with 'Scripts/add-field \(name) FIELD', remove the feature first with "
                + "'Scripts/remove-feature \(name)'")
        if isThere {
            plan = try Plan([], in: tree)
            return
        }
        try Self.checkFree(spec, in: tree)
        try TakenTypes(strata: strata, tree: tree).check(spec.name.upperCamel)
        let references = try EntityPlace.referred(to: spec.references, by: spec, in: tree, strata: strata)
        let files = try FeatureTemplate(strata: strata, formatter: formatter)
            .render(spec, references: references, rules: tree.text(".swift-format"))
        let lines = RegionLine.all(for: spec, references: references)
        plan = try Plan(ScaffoldRecord.additions(spec, files: files, regionLines: lines), in: tree)
    }

    /// Features are folders; the case of letters is no difference on many disks. Every service has the accounts, and Strata the example.
    private static func checkFree(_ spec: FeatureSpec, in tree: SourceTree) throws(ScaffoldRefusal) {
        let wanted = [spec.module.lowercased(), spec.name.upperCamel.lowercased()]
        for parent in ["Modules/Features", "Tests/Features"] as [RelativePath] {
            for found in try tree.names(in: parent) + ["Accounts", "Specimens"]
            where wanted.contains(found.lowercased()) {
                throw ScaffoldRefusal(
                    "'\(spec.name.upperCamel)' is taken: there is a feature '\(found)'. Use another name, such as "
                        + "'\(spec.name.upperCamel)Record'.")
            }
        }
        // The tests of both would have one name, `IncidentsTests`, or a module of both.
        let modules = ([spec.module] + spec.modules).map { $0.lowercased() }
        if let client = try tree.names(in: "Modules/Clients").first(where: { modules.contains($0.lowercased()) }) {
            throw ScaffoldRefusal(
                "'\(spec.name.upperCamel)' is taken: there is a client '\(client)'. Use another name, such as "
                    + "'\(spec.name.upperCamel)Record'.")
        }
    }
}
