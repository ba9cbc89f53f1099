import FoundationEssentials

/// What a run is about to do, on disk before it is done.
struct Journal {
    static let folder: RelativePath = ".scaffold/work"
    static let path: RelativePath = ".scaffold/work/journal.json"
    static let draft: RelativePath = ".scaffold/work/journal.draft"
    /// A file on its way back.
    static let copy: RelativePath = ".scaffold/work/copy"

    struct Entry {
        let path: RelativePath
        let before: String?
        let after: String?
        let old: RelativePath
        let new: RelativePath
    }

    let entries: [Entry]
    /// Folders to make, outermost first.
    let folders: [RelativePath]

    init(_ plan: Plan, folders: [RelativePath]) {
        self.folders = folders
        entries = plan.steps.enumerated().compactMap { index, step in
            guard let old = try? Self.folder.appending("old-\(index)"),
                let new = try? Self.folder.appending("new-\(index)")
            else { return nil }
            return Entry(path: step.path, before: step.before?.digest, after: step.after?.digest, old: old, new: new)
        }
    }

    // MARK: On disk

    private struct Stored: Codable {
        struct Entry: Codable {
            let path: String
            let before: String?
            let after: String?
        }

        let folders: [String]
        let entries: [Entry]
    }

    init(_ contents: FileContents) throws(FileFault) {
        do {
            let stored = try JSONDecoder().decode(Stored.self, from: Data(contents.bytes))
            folders = try stored.folders.map { try RelativePath($0) }
            entries = try stored.entries.enumerated().map { index, entry in
                Entry(
                    path: try RelativePath(entry.path), before: entry.before, after: entry.after,
                    old: try Self.folder.appending("old-\(index)"), new: try Self.folder.appending("new-\(index)"))
            }
        } catch { throw FileFault("'\(Self.path)' is not a journal of this tool.") }
    }

    var contents: FileContents {
        let stored = Stored(
            folders: folders.map(\.description),
            entries: entries.map { Stored.Entry(path: "\($0.path)", before: $0.before, after: $0.after) })
        // Strings and arrays of them always encode.
        return FileContents(bytes: (try? JSONEncoder().encode(stored)).map { Array($0) } ?? [])
    }
}
