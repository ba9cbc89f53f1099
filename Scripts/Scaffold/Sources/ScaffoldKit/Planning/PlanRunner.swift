/// Carries out a plan so that it is done wholly or not at all, whenever the process ends.
///
/// What every file was and will be is written under `.scaffold/work` first, then the journal that names them. Only then
/// the tree is changed, one rename or removal at a time. An error puts back what was done; after a kill the next run
/// finds the journal and puts back the same (`repair`). So it does after a loss of power: what a step relies on was
/// flushed to the disk before it.
package struct PlanRunner: Sendable {
    private let files: any FileSystem

    package init(_ files: any FileSystem) { self.files = files }

    /// - Parameter last: Done when every file is in place; when it fails, the tree is put back, too.
    /// - Throws: A refusal after which the tree is as before, or which says what is not.
    package func apply(
        _ plan: Plan, last: () throws(FileFault) -> Void = {}
    ) throws(ScaffoldRefusal) {
        try repair()
        guard !plan.isEmpty else { return }
        let journal = Journal(plan, folders: try missingFolders(of: plan))
        do {
            try checkUnchanged(plan)
            try prepare(plan, journal)
            try carryOut(journal)
            try last()
            try files.flush()
        } catch {
            try putBack(after: error.description)
            throw ScaffoldRefusal("\(error.description) Nothing was changed.")
        }
        do {
            // The one step that makes the change final: without a journal nothing is put back.
            try files.remove(Journal.path)
        } catch {
            try putBack(after: error.description)
            throw ScaffoldRefusal("\(error.description) Nothing was changed.")
        }
        // What is left over now is cleared by the next run.
        try? settle()
    }

    /// Puts the tree back as it was before a run that was interrupted.
    ///
    /// - Returns: Whether there was such a run.
    /// - Throws: A refusal naming a file that was edited since.
    @discardableResult
    package func repair() throws(ScaffoldRefusal) -> Bool {
        do {
            guard try files.kind(of: Journal.path) != nil else {
                // The change had not begun, or was over.
                try clear()
                return false
            }
            let journal = try Journal(files.read(Journal.path))
            try restore(journal)
            try files.remove(Journal.path)
            try settle()
            return true
        } catch {
            throw ScaffoldRefusal(
                "An earlier run was interrupted and cannot be put back: \(error.description) "
                    + "Restore that file, or remove '\(Journal.folder)' to keep the tree as it is.")
        }
    }

    // MARK: Steps

    private func prepare(_ plan: Plan, _ journal: Journal) throws(FileFault) {
        for folder in Journal.folder.folders + [Journal.folder] where try files.kind(of: folder) == nil {
            try files.createFolder(folder)
        }
        for (step, entry) in zip(plan.steps, journal.entries) {
            if let before = step.before { try files.create(entry.old, before) }
            if let after = step.after { try files.create(entry.new, after) }
        }
        // Named under its own name only when it is complete, and all that it names is.
        try files.create(Journal.draft, journal.contents)
        try files.flush()
        try files.move(Journal.draft, to: Journal.path)
        try files.flush()
    }

    private func carryOut(_ journal: Journal) throws(FileFault) {
        for folder in journal.folders { try files.createFolder(folder) }
        for entry in journal.entries {
            if entry.after == nil { try files.remove(entry.path) } else { try files.move(entry.new, to: entry.path) }
        }
        for entry in journal.entries where entry.after == nil { try removeEmptyFolders(above: entry.path) }
    }

    /// Before and after a kill the same: each file is looked at, and only what was changed is changed back.
    private func restore(_ journal: Journal) throws(FileFault) {
        for entry in journal.entries.reversed() {
            let found = try files.kind(of: entry.path) == nil ? nil : try files.read(entry.path).digest
            if found == entry.before { continue }
            guard found == entry.after else {
                throw FileFault("'\(entry.path)' was edited since.")
            }
            guard entry.before != nil else {
                try files.remove(entry.path)
                continue
            }
            for folder in entry.path.folders where try files.kind(of: folder) == nil { try files.createFolder(folder) }
            let copy = try files.read(entry.old)
            if try files.kind(of: Journal.copy) != nil { try files.remove(Journal.copy) }
            try files.create(Journal.copy, copy)
            try files.flush()
            try files.move(Journal.copy, to: entry.path)
        }
        for folder in journal.folders.reversed() where try isEmptyFolder(folder) { try files.removeFolder(folder) }
        try files.flush()
    }

    private func putBack(after reason: String) throws(ScaffoldRefusal) {
        do {
            if try files.kind(of: Journal.path) != nil {
                try restore(Journal(files.read(Journal.path)))
                try files.remove(Journal.path)
                try settle()
            } else {
                try clear()
            }
        } catch {
            throw ScaffoldRefusal(
                "\(reason) What was done could not be put back either: \(error.description) "
                    + "Run this again when that is repaired; it starts by putting the tree back.")
        }
    }

    /// Removes what the journal named, once the journal is gone for good.
    private func settle() throws(FileFault) {
        try files.flush()
        try clear()
    }

    /// Removes what a run wrote for itself.
    private func clear() throws(FileFault) {
        if try files.kind(of: Journal.folder) == .folder {
            for name in try files.names(in: Journal.folder) {
                if let path = try? Journal.folder.appending(name) { try files.remove(path) }
            }
            try files.removeFolder(Journal.folder)
        }
        try removeEmptyFolders(above: Journal.folder)
    }

    // MARK: Looking

    private func checkUnchanged(_ plan: Plan) throws(FileFault) {
        for step in plan.steps {
            let found = try files.kind(of: step.path) == nil ? nil : try files.read(step.path)
            guard found == step.before else {
                throw FileFault("'\(step.path)' changed while the plan was made; run this again.")
            }
        }
    }

    /// Folders to make, outermost first.
    private func missingFolders(of plan: Plan) throws(ScaffoldRefusal) -> [RelativePath] {
        var missing: Set<RelativePath> = []
        do {
            for step in plan.steps where step.after != nil {
                for folder in step.path.folders where try files.kind(of: folder) == nil { missing.insert(folder) }
            }
        } catch { throw ScaffoldRefusal(error) }
        // The journal's own folder is made before, so it is nothing to take back.
        return missing.subtracting(Journal.folder.folders).sorted()
    }

    private func removeEmptyFolders(above path: RelativePath) throws(FileFault) {
        for folder in path.folders.reversed() {
            guard try isEmptyFolder(folder) else { return }
            try files.removeFolder(folder)
        }
    }

    private func isEmptyFolder(_ folder: RelativePath) throws(FileFault) -> Bool {
        guard try files.kind(of: folder) == .folder else { return false }
        return try files.names(in: folder).isEmpty
    }
}
