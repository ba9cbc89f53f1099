/// The commands on features and clients, in one tree.
package struct ScaffoldTool: Sendable {
    private let files: any FileSystem
    private let strata: SourceTree
    private let formatter: any SourceFormatter

    /// - Parameter strata: The tree of Strata, which has the example.
    package init(_ files: any FileSystem, strata: SourceTree, formatter: any SourceFormatter = SwiftFormat()) {
        (self.files, self.strata, self.formatter) = (files, strata, formatter)
    }

    private var tree: SourceTree { SourceTree(files) }

    /// - Parameter isDry: Nothing is written.
    package func add(_ request: AddFeature.Request, isDry: Bool) throws(ScaffoldRefusal) -> Report {
        try settle(isDry: isDry)
        let added = try AddFeature(request, to: tree, from: strata, formatter: formatter)
        let name = added.spec.name.upperCamel
        if added.plan.isEmpty {
            return Report(.done, "'\(name)' is there already, as it is asked for; nothing was changed.")
        }
        if isDry { return dry(added.plan) }
        try PlanRunner(files).apply(added.plan)
        return Report(
            .done, "'\(name)' was added: \(counts(added.plan)).", plan: added.plan,
            next: try [
                "Test it:   \(Self.test(added.spec.module))",
                "Use it:    swift build, then '\(added.spec.command) --help' of your command line",
                "Undo it:   Scripts/remove-feature \(name)",
            ] + recordingStep)
    }

    /// - Parameter isDry: Nothing is written.
    package func addField(_ field: String, to name: String, isDry: Bool) throws(ScaffoldRefusal) -> Report {
        try settle(isDry: isDry)
        let added = try AddField(field, to: name, in: tree, strata: strata, formatter: formatter)
        if added.plan.isEmpty {
            return Report(.done, "'\(added.entity)' has '\(added.field)' already; nothing was changed.")
        }
        if isDry { return dry(added.plan) }
        try PlanRunner(files).apply(added.plan)
        var next = ["Test it:   \(Self.test(added.module))"] + (try recordingStep)
        if added.wasMadeOptional {
            next.append(
                "The field is optional: rows that exist, and clients and servers that do not know it, have no value.")
        }
        return Report(
            .done, "'\(added.field)' was added to '\(added.entity)', with migration \(added.version).",
            plan: added.plan,
            next: next)
    }

    /// - Parameter isDry: Nothing is written.
    package func addClient(_ request: AddClient.Request, isDry: Bool) throws(ScaffoldRefusal) -> Report {
        try settle(isDry: isDry)
        let added = try AddClient(request, to: tree, from: strata, formatter: formatter)
        let name = added.spec.module
        if added.plan.isEmpty {
            return Report(.done, "'\(name)' is there already, as it is asked for; nothing was changed.")
        }
        if isDry { return dry(added.plan) }
        try PlanRunner(files).apply(added.plan)
        return Report(
            .done, "'\(name)' was added: \(counts(added.plan)).", plan: added.plan,
            next: [
                "Test it:   \(Self.test(name))",
                "Use it:    Modules/Clients/\(name)/README.md; replace its endpoint by those of the API",
                "Undo it:   Scripts/remove-client \(name)",
            ])
    }

    package func remove(_ name: String, isForced: Bool, isDry: Bool) throws(ScaffoldRefusal) -> Report {
        try settle(isDry: isDry)
        return try carryOut(
            Removal<FeatureSpec>(name, from: tree, isForced: isForced), isDry: isDry,
            next: recordingStep + ["Databases that had its tables keep them, and what is in them."])
    }

    package func removeClient(_ name: String, isForced: Bool, isDry: Bool) throws(ScaffoldRefusal) -> Report {
        try settle(isDry: isDry)
        return try carryOut(Removal<ClientSpec>(name, from: tree, isForced: isForced), isDry: isDry, next: [])
    }

    /// The features and clients that were made here, and what was edited of each.
    ///
    /// - Returns: `.refused` when a file or a line of a list is missing; edited files are no fault.
    package func list() throws(ScaffoldRefusal) -> Report {
        let (made, others) = (try states(of: FeatureSpec.self), try states(of: ClientSpec.self))
        let features = made.map { feature($0, differences: $1.sentences) }
        let clients = others.map { client($0, differences: $1.sentences) }
        let incomplete =
            made.filter { $1.isIncomplete }.map { "remove-feature \($0.record.spec.name.upperCamel)" }
            + others.filter { $1.isIncomplete }.map { "remove-client \($0.record.spec.module)" }
        guard incomplete.isEmpty else {
            return Report(
                .refused,
                "Files or lines are missing. Restore those above, or run "
                    + incomplete.map { "'Scripts/\($0) --force'" }.joined(separator: " and ") + ".",
                features: features, clients: clients)
        }
        let sentences = [
            features.isEmpty
                ? "No feature was made by Scripts/new-feature yet." : "\(features.count) made by Scripts/new-feature.",
            clients.isEmpty ? "" : "\(clients.count) made by Scripts/new-client.",
        ]
        return Report(
            .done, sentences.filter { !$0.isEmpty }.joined(separator: " "), features: features, clients: clients)
    }

    // MARK: - Parts

    /// The command that tests one feature.
    private static func test(_ module: String) -> String { "STRATA_TESTS=\(module)Tests swift test --no-parallel" }

    /// A repository that records its OpenAPI document has a test that compares it, which a new interface fails.
    private var recordingStep: [String] {
        get throws(ScaffoldRefusal) {
            try tree.kind(of: "Tests/Recorded/openapi.json") == .file
                ? ["Record it: Scripts/openapi --write, because the interface of the server has changed"] : []
        }
    }

    /// Before anything is planned, an interrupted run is put back; a dry run writes nothing, not even that.
    private func settle(isDry: Bool) throws(ScaffoldRefusal) {
        if !isDry {
            try PlanRunner(files).repair()
        } else if try tree.kind(of: Journal.path) != nil {
            throw ScaffoldRefusal(
                "An earlier run was interrupted. Run this without --dry-run, which restores the tree first.")
        }
    }

    private func states<Spec>(
        of kind: Spec.Type
    ) throws(ScaffoldRefusal) -> [(record: ScaffoldRecord<Spec>, state: ScaffoldState)] {
        try ScaffoldCatalog<Spec>(tree).records().mapThrowing { record throws(ScaffoldRefusal) in
            (record, try ScaffoldState(record, in: tree))
        }
    }

    private func carryOut<Spec>(
        _ removal: Removal<Spec>, isDry: Bool, next: [String]
    ) throws(ScaffoldRefusal) -> Report {
        if isDry { return dry(removal.plan) }
        try PlanRunner(files).apply(removal.plan)
        return Report(
            .done, "'\(removal.record.spec.name.upperCamel)' was removed: \(counts(removal.plan)).", plan: removal.plan,
            next: next + (removal.backup.map { ["Changed files are kept in '\($0)'."] } ?? []))
    }

    private func dry(_ plan: Plan) -> Report {
        plan.isEmpty
            ? Report(.done, "Nothing would change.")
            : Report(
                .done, "Nothing was written; a run without --dry-run would do this: \(counts(plan)).", plan: plan
            )
    }

    private func counts(_ plan: Plan) -> String {
        ["create": "created", "edit": "edited", "delete": "deleted"].sorted { $0.key < $1.key }.compactMap {
            verb, done in
            let count = plan.steps.filter { $0.verb == verb }.count
            return count == 0 ? nil : "\(count) \(count == 1 ? "file" : "files") \(done)"
        }.joined(separator: ", ")
    }

    private func client(_ record: ScaffoldRecord<ClientSpec>, differences: [String]) -> Report.Client {
        Report.Client(
            name: record.spec.module, baseURL: record.spec.address.description, auth: record.spec.auth.rawValue,
            differences: differences)
    }

    private func feature(_ record: ScaffoldRecord<FeatureSpec>, differences: [String]) -> Report.Feature {
        Report.Feature(
            name: record.spec.name.upperCamel, plural: record.spec.plural.upperCamel,
            policy: record.spec.policy.rawValue, fields: record.spec.fieldsText, differences: differences)
    }
}
