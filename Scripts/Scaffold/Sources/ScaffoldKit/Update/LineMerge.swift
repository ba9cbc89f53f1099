import Foundation

/// Merges three versions of a text as git does, with its marks around what cannot be merged. Lists between `scaffold:begin` and
/// `scaffold:end` have the lines of both sides.
struct LineMerge: Sendable {
    /// - Returns: The text, and how many conflicts are marked in it.
    func callAsFunction(
        base: FileContents, ours: FileContents, theirs: FileContents, of file: RelativePath
    ) throws(ScaffoldRefusal) -> (text: FileContents, conflicts: Int) {
        let texts = Self.withEqualLists([base, ours, theirs].map { $0.text ?? "" }, of: file)
        let folder = FileManager.default.temporaryDirectory.appending(path: "merge-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (name, text) in zip(["base", "ours", "theirs"], texts) {
                try Data(text.utf8).write(to: folder.appending(path: name))
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

    /// The three texts, in which each list that all of them have is the merged one: what either side added is in it, and what either
    /// took out is not. Its lines are sorted, so their place says nothing.
    private static func withEqualLists(_ texts: [String], of file: RelativePath) -> [String] {
        var texts = texts
        for name in MarkedRegion.names(in: texts[2]) {
            // A list that someone has put out of order is merged line by line.
            guard let lists = try? texts.map({ try MarkedRegion(name, in: $0, of: file) }) else { continue }
            let (base, ours, theirs) = (Set(lists[0].lines), Set(lists[1].lines), Set(lists[2].lines))
            let merged = ours.intersection(theirs).union(ours.symmetricDifference(theirs).subtracting(base))
            let edited = try? lists.map {
                try $0.editing(
                    adding: Array(merged.subtracting($0.lines)), removing: $0.lines.filter { !merged.contains($0) })
            }
            texts = edited ?? texts
        }
        return texts
    }
}
