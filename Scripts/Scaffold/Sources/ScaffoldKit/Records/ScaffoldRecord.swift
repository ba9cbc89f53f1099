import FoundationEssentials

/// The files and lines of a feature or a client, kept in `.scaffold/features/Incident.json` so that removal restores every byte.
package struct ScaffoldRecord<Spec: Scaffolded>: Sendable, Hashable {
    /// Rises when the record or the files change their shape.
    private static var newestVersion: Int { 2 }

    package let spec: Spec
    package let toolVersion: Int
    /// SHA-256 of each file, as it was written.
    package let files: [RelativePath: String]
    package let regionLines: [RegionLine]

    /// - Parameter files: SHA-256 by path.
    package init(_ spec: Spec, files: [RelativePath: String], regionLines: [RegionLine]) {
        self.spec = spec
        toolVersion = Self.newestVersion
        self.files = files
        self.regionLines = regionLines.sorted {
            ("\($0.file)", $0.region, $0.line) < ("\($1.file)", $1.region, $1.line)
        }
    }

    /// What has to be done to have these files and lines, and this record of them.
    static func additions(
        _ spec: Spec, files: [RelativePath: String], regionLines: [RegionLine]
    ) throws(ScaffoldRefusal) -> [FileChange] {
        let record = Self(spec, files: files.mapValues { FileContents($0).digest }, regionLines: regionLines)
        return files.map { FileChange.create($0.key, FileContents($0.value)) }
            + regionLines.map { .editRegion($0.file, region: $0.region, adding: [$0.line], removing: []) }
            + [.create(try Spec.record(of: spec.name.upperCamel), record.contents)]
    }

    // MARK: On disk

    /// The answers stand beside the rest.
    private struct Stored: Codable {
        struct Line: Codable {
            let file: String
            let region: String
            let line: String
        }

        private enum Key: CodingKey { case toolVersion, files, regionLines }

        let spec: Spec
        let toolVersion: Int
        let files: [String: String]
        let regionLines: [Line]

        init(_ record: ScaffoldRecord) {
            spec = record.spec
            toolVersion = record.toolVersion
            files = Dictionary(uniqueKeysWithValues: record.files.map { ("\($0.key)", $0.value) })
            regionLines = record.regionLines.map { Line(file: "\($0.file)", region: $0.region, line: $0.line) }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            toolVersion = try container.decode(Int.self, forKey: .toolVersion)
            guard toolVersion <= newestVersion else { throw Newer() }
            spec = try Spec(from: decoder)
            files = try container.decode([String: String].self, forKey: .files)
            regionLines = try container.decode([Line].self, forKey: .regionLines)
        }

        func encode(to encoder: any Encoder) throws {
            try spec.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(toolVersion, forKey: .toolVersion)
            try container.encode(files, forKey: .files)
            try container.encode(regionLines, forKey: .regionLines)
        }
    }

    private struct Newer: Error {}

    package init(_ contents: FileContents, at path: RelativePath) throws(ScaffoldRefusal) {
        let stored: Stored
        do { stored = try JSONDecoder().decode(Stored.self, from: Data(contents.bytes)) } catch {
            switch error {
            case let refusal as ScaffoldRefusal: throw refusal
            case is Newer:
                throw ScaffoldRefusal("'\(path)' was written by a newer version of this tool; update Strata.")
            default:
                throw ScaffoldRefusal(
                    "'\(path)' is no record of a \(Spec.noun); restore it, for example with 'git checkout -- \(path)'.")
            }
        }
        spec = stored.spec
        toolVersion = stored.toolVersion
        var files: [RelativePath: String] = [:]
        for (path, digest) in stored.files { files[try RelativePath(path)] = digest }
        self.files = files
        var lines: [RegionLine] = []
        for line in stored.regionLines {
            lines.append(RegionLine(file: try RelativePath(line.file), region: line.region, line: line.line))
        }
        regionLines = lines
    }

    package var contents: FileContents {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Text and numbers always encode.
        return FileContents(bytes: (try? encoder.encode(Stored(self))).map { Array($0) + [0x0A] } ?? [])
    }
}
