/// The lines between `scaffold:begin NAME` and `scaffold:end NAME`, each marker in a comment of its own line.
///
///     // scaffold:begin features
///     feature("Accounts"),
///     // scaffold:end features
///
/// The lines are kept in order and each is there once, so that it does not matter which feature came first.
package struct MarkedRegion: Sendable {
    package let file: RelativePath
    package let name: String
    /// The lines inside, without indentation, in order.
    package let lines: [String]

    private let before: [Substring]
    private let after: [Substring]
    private let indentation: Substring

    /// - Throws: A refusal when a marker is missing, is there twice, or when lines inside are out of order; it names
    ///   `adding`, the line that is to go there.
    package init(
        _ name: String, in text: String, of file: RelativePath, adding line: String = ""
    ) throws(ScaffoldRefusal) {
        let all = text.split(separator: "\n", omittingEmptySubsequences: false)
        let begins = all.indices.filter { Self.marks(all[$0], "begin", name) }
        let ends = all.indices.filter { Self.marks(all[$0], "end", name) }
        let wanted = line.isEmpty ? "" : " The line to have there is: \(line)"
        guard let begin = begins.first, let end = ends.first else {
            let missing = begins.isEmpty ? "begin" : "end"
            throw ScaffoldRefusal(
                "'\(file)' has no line with 'scaffold:\(missing) \(name)', so the list cannot be found. Put the comments "
                    + "'scaffold:begin \(name)' and 'scaffold:end \(name)' around it.\(wanted)")
        }
        guard begins.count == 1, ends.count == 1, begin < end else {
            throw ScaffoldRefusal(
                "'\(file)' has the markers of '\(name)' twice or in the wrong order; keep one 'scaffold:begin \(name)' "
                    + "above one 'scaffold:end \(name)'.\(wanted)")
        }
        // The formatter puts an empty line between the last import and the marker.
        var last = end
        while last > begin + 1, Self.trimmed(all[last - 1]).isEmpty { last -= 1 }
        let inside = all[(begin + 1)..<last].map { Self.trimmed($0) }
        if let (index, found) = inside.enumerated().first(where: { $0 > 0 && inside[$0 - 1] >= $1 || $1.isEmpty }) {
            throw ScaffoldRefusal(
                "'\(file)', line \(begin + 2 + index): '\(found)' is not in its place; the lines of '\(name)' are sorted, "
                    + "each is there once, and none is empty. Put it in order, then run this again.\(wanted)")
        }
        self.file = file
        self.name = name
        self.lines = inside
        before = Array(all[...begin])
        after = Array(all[last...])
        indentation = all[begin].prefix { $0 == " " || $0 == "\t" }
    }

    /// The text of the whole file with these lines added and those removed.
    ///
    /// A line that is there already is not added again.
    /// - Throws: A refusal when a line to remove is not there: somebody has edited it.
    package func editing(adding: [String], removing: [String] = []) throws(ScaffoldRefusal) -> String {
        if let edited = removing.first(where: { !lines.contains($0) }) {
            throw ScaffoldRefusal(
                "'\(file)' no longer has the line that was written into '\(name)': \(edited) "
                    + "Put it back, or use --force to leave the file as it is.")
        }
        let kept = Set(lines).subtracting(removing).union(adding).sorted(by: <)
        return (before + kept.map { Substring(indentation + $0) } + after).joined(separator: "\n")
    }

    /// The names of the regions that begin in a text, in order.
    static func names(in text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            return words.count > 2 && marks(line, "begin", String(words[2])) ? String(words[2]) : nil
        }
    }

    private static func marks(_ line: Substring, _ word: String, _ name: String) -> Bool {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard let at = words.firstIndex(of: "scaffold:\(word)"), at + 1 < words.count, words[at + 1] == name else {
            return false
        }
        return at == 1 && ["//", "#", "<!--", "--"].contains(words[0])
    }

    private static func trimmed(_ line: Substring) -> String {
        var line = line.drop { $0 == " " || $0 == "\t" }
        while line.last == " " || line.last == "\t" { line.removeLast() }
        return String(line)
    }
}
