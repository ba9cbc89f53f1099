import Foundation

/// Merges three versions of a text as git does, with its marks around what cannot be merged.
struct LineMerge: Sendable {
    /// - Returns: The text, and how many conflicts are marked in it.
    func callAsFunction(
        base: FileContents, ours: FileContents, theirs: FileContents
    ) throws(ScaffoldRefusal) -> (text: FileContents, conflicts: Int) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "merge-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (name, contents) in [("ours", ours), ("base", base), ("theirs", theirs)] {
                try Data(contents.bytes).write(to: folder.appending(path: name))
            }
        } catch { throw ScaffoldRefusal("The versions to merge cannot be written: \(error)") }
        let answer = try Git(folder.path)([
            "merge-file", "-p", "-L", "here", "-L", "template then", "-L", "template now", "ours", "base", "theirs",
        ])
        // The status is the number of conflicts, up to 127; anything above is an error.
        guard (0...127).contains(answer.status) else {
            throw ScaffoldRefusal("git cannot merge: \(answer.errors.prefix(200).description.printable)")
        }
        // A change of the mode on either side counts.
        let isExecutable = ours.isExecutable == base.isExecutable ? theirs.isExecutable : ours.isExecutable
        return (FileContents(bytes: answer.bytes, isExecutable: isExecutable), Int(answer.status))
    }
}
