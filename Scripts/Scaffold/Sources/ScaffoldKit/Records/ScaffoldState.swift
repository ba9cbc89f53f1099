/// How a feature or a client is now, against its record.
package struct ScaffoldState: Sendable, Hashable {
    /// Files that differ from what was written.
    package let edited: [RelativePath]
    package let missing: [RelativePath]
    /// Files in its folders that were not written with it.
    package let added: [RelativePath]
    /// Lines that are no longer in their lists.
    package let missingLines: [RegionLine]
    /// What stands in the list of a line instead of it, or beside it.
    package let editedLines: [RegionLine: [String]]
    /// Places outside that use it, as `path:line: text`.
    package let references: [String]

    package init<Spec>(_ record: ScaffoldRecord<Spec>, in tree: SourceTree) throws(ScaffoldRefusal) {
        var edited: [RelativePath] = []
        var missing: [RelativePath] = []
        for (path, digest) in record.files.sorted(by: { $0.key < $1.key }) {
            guard let contents = try tree.contents(path) else {
                missing.append(path)
                continue
            }
            if contents.digest != digest { edited.append(path) }
        }
        self.edited = edited
        self.missing = missing
        let folders = try record.spec.folders()
        var added: [RelativePath] = []
        for folder in folders { added += try tree.paths(under: folder).filter { record.files[$0] == nil } }
        self.added = added
        var (missingLines, editedLines): ([RegionLine], [RegionLine: [String]]) = ([], [:])
        for line in record.regionLines {
            let text = try tree.contents(line.file)?.text
            let lines =
                try text.map { text throws(ScaffoldRefusal) in
                    try MarkedRegion(line.region, in: text, of: line.file, adding: line.line).lines
                } ?? []
            let edited = line.edited(among: lines)
            if !edited.isEmpty { editedLines[line] = edited }
            if edited.isEmpty, !lines.contains(line.line) { missingLines.append(line) }
        }
        (self.missingLines, self.editedLines) = (missingLines, editedLines)
        references = try Self.references(to: record, editedLines, outside: folders, in: tree)
    }

    /// Nothing differs from what was written.
    package var isUntouched: Bool { sentences.isEmpty }

    /// A file, or a line of a list, is gone.
    package var isIncomplete: Bool { !missing.isEmpty || !missingLines.isEmpty }

    /// What differs, a line each.
    package var sentences: [String] {
        edited.map { "\($0): edited" } + missing.map { "\($0): missing" } + added.map { "\($0): not written with it" }
            + missingLines.map { "\($0.file): the list '\($0.region)' lacks the line: \($0.line)" }
            + editedSentences
    }

    /// The edited lines of lists, each with its place.
    package var editedSentences: [String] {
        editedLines.flatMap { line, texts in texts.map { "\(line.file): edited in the list '\(line.region)': \($0)" } }
            .sorted()
    }

    /// Sources that import a part of it or, where they do, name it, and rows that see it.
    private static func references<Spec>(
        to record: ScaffoldRecord<Spec>, _ edited: [RegionLine: [String]], outside folders: [RelativePath],
        in tree: SourceTree
    ) throws(ScaffoldRefusal) -> [String] {
        let (module, parts) = (record.spec.module, record.spec.modules)
        var found: [String] = []
        for root in ["Package.swift", "Modules", "Apps", "Tests"] as [RelativePath] {
            let paths = try tree.kind(of: root) == .file ? [root] : tree.paths(under: root)
            for path in paths where path.name.hasSuffix(".swift") && record.files[path] == nil {
                if folders.contains(where: path.isWithin) { continue }
                guard let bytes = try tree.contents(path)?.bytes, contains(bytes, module) else { continue }
                var isImported = false
                for (index, line) in String(decoding: bytes, as: UTF8.self).split(
                    separator: "\n", omittingEmptySubsequences: false
                ).enumerated() {
                    let text = String(line.drop { $0 == " " })
                    if text.hasPrefix("//") || text.hasPrefix(Spec.row(module)) { continue }
                    let words = text.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "\"" })
                    let isImport = imported(by: words).map { parts.contains(String($0)) } ?? false
                    isImported = isImported || isImport
                    if record.regionLines.contains(where: {
                        $0.file == path && ($0.line == text || edited[$0]?.contains(text) == true)
                    }) {
                        continue
                    }
                    let isNamed = isImported && names(record.spec.name.upperCamel, in: text)
                    let isSeen = path == root && (parts + [module]).contains { words.contains("\"\($0)\"") }
                    if isImport || isNamed || isSeen { found.append("\(path):\(index + 1): \(text)") }
                }
            }
        }
        return found
    }

    /// Whether the code of a line names a type; texts and comments do not count.
    private static func names(_ type: String, in line: String) -> Bool {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        let code = parts.indices.filter { $0.isMultiple(of: 2) }.map { parts[$0] }.joined(separator: " ")
        let end = code.firstRange(of: "//")?.lowerBound ?? code.endIndex
        return code[..<end].split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "`" }.contains(Substring(type))
    }

    /// The module that a line imports: `Tides` of `@testable import struct Tides.Level`; `nil` of other lines, texts with the word
    /// included.
    private static func imported(by words: [Substring]) -> Substring? {
        guard let place = words.firstIndex(of: "import"), !words[..<place].contains(where: { $0.contains("\"") }) else {
            return nil
        }
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias", "func", "let", "var"]
        return words[(place + 1)...].first { !kinds.contains($0) }
    }

    /// Whether `text` stands somewhere in `bytes`; most files are passed over by this alone.
    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, bytes.count >= wanted.count else { return false }
        for start in 0...(bytes.count - wanted.count) where bytes[start] == first {
            if bytes[start..<(start + wanted.count)].elementsEqual(wanted) { return true }
        }
        return false
    }
}
