/// How a feature is now, against its record.
package struct FeatureState: Sendable, Hashable {
    /// Files that differ from what was written.
    package let edited: [RelativePath]
    package let missing: [RelativePath]
    /// Files in the feature's folders that were not written with it.
    package let added: [RelativePath]
    /// Lines that are no longer in their lists.
    package let missingLines: [RegionLine]
    /// Places outside that use the feature, as `path:line: text`.
    package let references: [String]

    package init(_ record: FeatureRecord, in tree: SourceTree) throws(ScaffoldRefusal) {
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
        let folders = try Self.folders(of: record.spec)
        var added: [RelativePath] = []
        for folder in folders { added += try tree.paths(under: folder).filter { record.files[$0] == nil } }
        self.added = added
        missingLines = try record.regionLines.filterThrowing { line throws(ScaffoldRefusal) in
            guard let text = try tree.contents(line.file)?.text else { return true }
            return try !MarkedRegion(line.region, in: text, of: line.file, adding: line.line).lines.contains(line.line)
        }
        references = try Self.references(to: record, outside: folders, in: tree)
    }

    /// Nothing differs from what was written.
    package var isUntouched: Bool { edited.isEmpty && missing.isEmpty && added.isEmpty && missingLines.isEmpty }

    /// What differs, a line each.
    package var sentences: [String] {
        edited.map { "\($0): edited" } + missing.map { "\($0): missing" } + added.map { "\($0): not written with it" }
            + missingLines.map { "\($0.file): the list '\($0.region)' lacks the line: \($0.line)" }
    }

    private static func folders(of spec: FeatureSpec) throws(ScaffoldRefusal) -> [RelativePath] {
        [
            try RelativePath("Modules/Features/\(spec.module)"), try RelativePath("Tests/Features/\(spec.module)"),
        ]
    }

    /// Sources that import a part of it, and rows that see it.
    private static func references(
        to record: FeatureRecord, outside folders: [RelativePath], in tree: SourceTree
    ) throws(ScaffoldRefusal) -> [String] {
        let module = record.spec.module
        let parts = ["Domain", "API", "Data", "Service", "Presentation"].map { module + $0 }
        var found: [String] = []
        for root in ["Package.swift", "Modules", "Apps", "Tests"] as [RelativePath] {
            let paths = try tree.kind(of: root) == .file ? [root] : tree.paths(under: root)
            for path in paths where path.name.hasSuffix(".swift") && record.files[path] == nil {
                if folders.contains(where: path.isWithin) { continue }
                guard let bytes = try tree.contents(path)?.bytes, contains(bytes, module) else { continue }
                for (index, line) in String(decoding: bytes, as: UTF8.self).split(
                    separator: "\n", omittingEmptySubsequences: false
                ).enumerated() {
                    let text = String(line.drop { $0 == " " })
                    if record.regionLines.contains(where: { $0.file == path && $0.line == text })
                        || text.hasPrefix("//") || text.hasPrefix("Feature(\"\(module)\"")
                    {
                        continue
                    }
                    let words = text.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "\"" })
                    let isImport = words.contains("import") && parts.contains { words.contains($0[...]) }
                    let isSeen =
                        path == root
                        && (words.contains("\"\(module)\"") || parts.contains { words.contains("\"\($0)\"") })
                    if isImport || isSeen { found.append("\(path):\(index + 1): \(text)") }
                }
            }
        }
        return found
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
