/// Writes a feature by reading the exemplar and writing it once more, about something else.
package struct ExemplarRenderer: FeatureRenderer {
    private let formatter: any SourceFormatter

    /// - Parameter formatter: Gives the lines the shape that the repository wants.
    package init(formatter: any SourceFormatter = SwiftFormat()) { self.formatter = formatter }

    package func render(_ spec: FeatureSpec, from tree: SourceTree) throws(ScaffoldRefusal) -> RenderedFeature {
        var files: [RelativePath: String] = [:]
        for path in try Exemplar.paths(for: spec, in: tree) {
            let text = try tree.text(path)
            files[try Self.path(path, for: spec)] = try Self.text(text, of: path, for: spec)
        }
        let rules = try tree.text(".swift-format")
        return RenderedFeature(
            files: try formatter.formatted(files, by: rules), regionLines: try RegionLines.all(for: spec, in: tree))
    }

    /// The place of a file, with the feature's name in it.
    static func path(_ path: RelativePath, for spec: FeatureSpec) throws(ScaffoldRefusal) -> RelativePath {
        if path == Exemplar.page { return try RelativePath("Docs/Features/\(spec.plural.kebab).md") }
        var words = FeatureWords(spec, isProse: false)
        return try RelativePath(words.written(path.description))
    }

    static func text(
        _ text: String, of path: RelativePath, for spec: FeatureSpec
    ) throws(ScaffoldRefusal) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard path.name.hasSuffix(".swift") else {
            var words = FeatureWords(spec, isProse: true)
            return lines.map { words.written($0) }.joined(separator: "\n")
        }
        var words = FeatureWords(spec, isProse: false)
        var written: [String] = []
        let parts = try FieldBlocks(lines, of: path).parts
        for (index, part) in parts.enumerated() {
            switch part {
            case .plain(let range):
                var range = range
                // Where a whole block went, one of the blank lines around it goes, too.
                if written.last == "", lines[range.lowerBound].isEmpty {
                    range = (range.lowerBound + 1)..<range.upperBound
                }
                for line in lines[range] { written += Self.wrapped(words.written(line)) }
            case .block(let chunks):
                let before = words
                // The formatter takes the comma of an only element away, and here there may be more.
                var isList = false
                if index + 1 < parts.count, case .plain(let next) = parts[index + 1] {
                    isList = lines[next.lowerBound].drop { $0 == " " }.hasPrefix("]")
                }
                for (chunk, field) in FieldBlocks.choices(of: chunks, for: spec) {
                    words = before
                    var copy = Self.lines(lines[chunk.lines], from: chunk.field, to: field, &words)
                    if isList, let last = copy.last, !last.hasSuffix(",") { copy[copy.count - 1] = last + "," }
                    written += copy
                }
            }
        }
        return Imports.tended(written, for: spec).joined(separator: "\n")
    }

    private static func lines(
        _ lines: ArraySlice<String>, from model: Field, to field: Field,
        _ words: inout FeatureWords
    ) -> [String] {
        let pairs = FieldNames.pairs(from: model, to: field) + FieldValues(from: model, to: field).pairs
        return lines.flatMap { line in
            wrapped(Marks(of: model).written(words.written(line, pairs), for: field))
        }
    }

    /// A comment that a longer name made longer than a line, on two.
    private static func wrapped(_ line: String) -> [String] {
        guard line.utf8.count > 120, let start = line.firstRange(of: "/// ")?.upperBound,
            line[..<start].allSatisfy({ $0 == " " || $0 == "/" })
        else { return [line] }
        let room = line.index(line.startIndex, offsetBy: 120)
        guard let space = line[start..<room].lastIndex(of: " ") else { return [line] }
        return [String(line[..<space])] + wrapped(String(line[..<start] + line[line.index(after: space)...]))
    }
}

/// What a field's marks add to a line: `.unique`, `.redacted`, before the comma at its end.
private struct Marks {
    private let model: Field
    init(of model: Field) { self.model = model }

    func written(_ line: String, for field: Field) -> String {
        var line = line
        guard line.hasSuffix(",") else { return line }
        let isRule = line.contains("(\"") && line.contains("\\.")
        for (mark, applies, wanted) in [
            (".unique", isRule, field.isUnique), (".redacted", isRule, field.isRedacted),
        ] where applies {
            if let range = line.firstRange(of: mark) { line.removeSubrange(range) }
            if wanted { line = line.dropLast() + mark + "," }
        }
        return line
    }
}
