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
                    + "\nUndo that, or use --force, which keeps a copy under '.scaffold/backups'.")
        }

        let removedLines = record.regionLines.filter { !state.missingLines.contains($0) }
        var changes = record.files.keys.filter { !state.missing.contains($0) }.map(FileChange.delete)
        changes += state.added.map(FileChange.delete)
        changes += try removedLines.map { line throws(ScaffoldRefusal) in
            let edited = state.editedLines[line] ?? []
            let stands =
                try tree.contents(line.file)?.text.map { text throws(ScaffoldRefusal) in
                    try MarkedRegion(line.region, in: text, of: line.file).lines.contains(line.line)
                } ?? false
            return .editRegion(
                line.file, region: line.region, adding: [],
                removing: edited + (stands || edited.isEmpty ? [line.line] : []))
        }
        changes.append(.delete(try Spec.record(of: shown)))
        let lines = state.editedSentences
        backup = try kept.isEmpty && lines.isEmpty ? nil : Self.backupFolder(of: shown, kept, in: tree)
        if let backup {
            if !lines.isEmpty {
                changes.append(
                    .create(try backup.appending("lines.txt"), FileContents(lines.joined(separator: "\n") + "\n")))
            }
            for path in kept {
                guard let contents = try tree.contents(path) else { continue }
                changes.append(.create(try backup.appending("\(path)"), contents))
            }
        }
        plan = try Plan(
            changes,
            checks: [
                "No file outside '\(shown)' refers to it.",
                "\(kept.count) of its files and \(lines.count) of its lines were changed.",
            ],
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
