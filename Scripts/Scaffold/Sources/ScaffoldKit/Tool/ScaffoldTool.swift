/// The commands on features, in one tree.
package struct ScaffoldTool<Renderer: FeatureRenderer>: Sendable {
    private let files: any FileSystem
    private let renderer: Renderer

    package init(_ files: any FileSystem, renderer: Renderer) {
        self.files = files
        self.renderer = renderer
    }

    private var tree: SourceTree { SourceTree(files) }

    /// - Parameter isDry: Nothing is written; status 3 when something would be.
    package func add(_ request: AddFeature.Request, isDry: Bool) throws(ScaffoldRefusal) -> Report {
        try settle(isDry: isDry)
        let added = try AddFeature(request, to: tree, renderer: renderer)
        let name = added.spec.name.upperCamel
        if added.plan.isEmpty {
            return Report(.done, "'\(name)' is there already, as it is asked for; nothing was changed.")
        }
        if isDry { return dry(added.plan) }
        try PlanRunner(files).apply(added.plan)
        return Report(
            .done, "'\(name)' was added: \(counts(added.plan)).", plan: added.plan,
            next: [
                "Test it:   STRATA_TESTS=\(added.spec.module)Tests swift test",
                "Try it:    swift run shiftlog \(added.spec.command) --help",
                "Undo it:   Scripts/remove-feature \(name)",
            ])
    }

    package func remove(_ name: String, isForced: Bool, isDry: Bool) throws(ScaffoldRefusal) -> Report {
        try settle(isDry: isDry)
        let removed = try RemoveFeature(name, from: tree, isForced: isForced)
        if isDry { return dry(removed.plan) }
        try PlanRunner(files).apply(removed.plan)
        var next = ["Databases that had its tables keep them, and what is in them."]
        if let backup = removed.backup { next.append("Changed files are kept in '\(backup)'.") }
        return Report(
            .done, "'\(removed.record.spec.name.upperCamel)' was removed: \(counts(removed.plan)).", plan: removed.plan,
            next: next)
    }

    package func list() throws(ScaffoldRefusal) -> Report {
        let records = try FeatureCatalog(tree).records()
        let features = records.map { feature($0, differences: []) }
        return Report(
            .done,
            features.isEmpty
                ? "No feature was made by Scripts/new-feature yet."
                : "\(features.count) made by Scripts/new-feature.", features: features)
    }

    /// - Parameter name: Default: every feature that was made here.
    /// - Returns: Status 1 when a file or a line of a list is missing; edited files are no fault.
    package func check(_ name: String?) throws(ScaffoldRefusal) -> Report {
        let catalog = FeatureCatalog(tree)
        let records = if let name { [try catalog.record(of: name)] } else { try catalog.records() }
        var features: [Report.Feature] = []
        var broken: [String] = []
        for record in records {
            let state = try FeatureState(record, in: tree)
            features.append(feature(record, differences: state.sentences))
            if !state.missing.isEmpty || !state.missingLines.isEmpty { broken.append(record.spec.name.upperCamel) }
        }
        if !broken.isEmpty {
            return Report(
                .refused,
                "Incomplete: \(broken.joined(separator: ", ")). Put back the files and lines above, or take the feature out "
                    + "with 'Scripts/remove-feature NAME --force'.", features: features)
        }
        return Report(.done, "\(records.count) checked; none lacks a file or a line in a list.", features: features)
    }

    /// Puts the tree back as it was before a run that was interrupted.
    package func repair() throws(ScaffoldRefusal) { try PlanRunner(files).repair() }

    // MARK: - Parts

    /// Before anything is planned, an interrupted run is put back; a dry run writes nothing, not even that.
    private func settle(isDry: Bool) throws(ScaffoldRefusal) {
        if !isDry {
            try PlanRunner(files).repair()
        } else if try tree.kind(of: Journal.path) != nil {
            throw ScaffoldRefusal(
                "An earlier run was interrupted. Run this without --dry-run, or 'Scripts/check-feature --repair', to put "
                    + "the tree back first.")
        }
    }

    private func dry(_ plan: Plan) -> Report {
        plan.isEmpty
            ? Report(.done, "Nothing would change.")
            : Report(
                .wouldChange, "Nothing was written; a run without --dry-run would do this: \(counts(plan)).", plan: plan
            )
    }

    private func counts(_ plan: Plan) -> String {
        ["create": "created", "edit": "edited", "delete": "deleted"].sorted { $0.key < $1.key }.compactMap {
            verb, done in
            let count = plan.steps.filter { $0.verb == verb }.count
            return count == 0 ? nil : "\(count) \(count == 1 ? "file" : "files") \(done)"
        }.joined(separator: ", ")
    }

    private func feature(_ record: FeatureRecord, differences: [String]) -> Report.Feature {
        Report.Feature(
            name: record.spec.name.upperCamel, plural: record.spec.plural.upperCamel,
            policy: record.spec.policy.rawValue, fields: record.spec.fieldsText, differences: differences)
    }
}
