/// Plans to take out what was written for a feature or a client, and nothing else.
package struct Removal<Spec: Scaffolded>: Sendable {
    package let record: ScaffoldRecord<Spec>
    package let plan: Plan
    /// Where edited files are kept; `nil` when none was edited.
    package let backup: RelativePath?

    /// - Parameter isForced: Edited files go too, after a copy was kept.
    /// - Throws: A refusal that lists what was edited or what still refers to it.
    package init(_ name: String, from tree: SourceTree, isForced: Bool = false) throws(ScaffoldRefusal) {
        record = try ScaffoldCatalog<Spec>(tree).record(of: name)
        let state = try ScaffoldState(record, in: tree)
        let shown = record.spec.name.upperCamel
        guard state.references.isEmpty else {
            throw ScaffoldRefusal(
                "'\(shown)' is used by others:\n" + Self.list(state.references)
                    + "\nTake these uses out first (a feature with 'Scripts/remove-feature'), then run this again.")
        }
        let kept = state.edited + state.added
        guard isForced || state.isUntouched else {
            throw ScaffoldRefusal(
                "'\(shown)' was changed since it was written:\n" + Self.list(state.sentences)
                    + "\nCommit or undo that, or use --force, which keeps a copy under '.scaffold/backups'.")
        }

        let removedLines = record.regionLines.filter { !state.missingLines.contains($0) }
        var changes = record.files.keys.filter { !state.missing.contains($0) }.map(FileChange.delete)
        changes += state.added.map(FileChange.delete)
        changes += removedLines.map {
            .editRegion($0.file, region: $0.region, adding: [], removing: [state.editedLines[$0] ?? $0.line])
        }
        changes.append(.delete(try Spec.record(of: shown)))
        backup = try kept.isEmpty ? nil : Self.backupFolder(of: shown, kept, in: tree)
        if let backup {
            for path in kept {
                guard let contents = try tree.contents(path) else { continue }
                changes.append(.create(try backup.appending("\(path)"), contents))
            }
        }
        plan = try Plan(
            changes, checks: ["No file outside '\(shown)' refers to it.", "\(kept.count) of its files were changed."],
            in: tree)
    }

    /// The first of `Incident-1`, `Incident-2`… that is free.
    private static func backupFolder(
        of name: String, _ kept: [RelativePath], in tree: SourceTree
    ) throws(ScaffoldRefusal) -> RelativePath {
        let parent: RelativePath = ".scaffold/backups"
        let taken = Set(try tree.names(in: parent))
        var number = 1
        while taken.contains("\(name)-\(number)") { number += 1 }
        return try parent.appending("\(name)-\(number)")
    }

    private static func list(_ lines: [String]) -> String { lines.map { "  \($0)" }.joined(separator: "\n") }
}
