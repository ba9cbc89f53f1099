import FoundationEssentials

/// The files and lines of a feature, kept in `.scaffold/features/Incident.json` so that removal restores every byte.
package struct FeatureRecord: Sendable, Hashable {
    package static let folder: RelativePath = ".scaffold/features"
    /// Rises when the record or the files of a feature change their shape.
    package static let toolVersion = 2

    package let spec: FeatureSpec
    package let toolVersion: Int
    /// SHA-256 of each file, as it was written.
    package let files: [RelativePath: String]
    package let regionLines: [RegionLine]

    /// - Parameter files: SHA-256 by path.
    package init(_ spec: FeatureSpec, files: [RelativePath: String], regionLines: [RegionLine]) {
        self.spec = spec
        toolVersion = Self.toolVersion
        self.files = files
        self.regionLines = regionLines.sorted {
            ("\($0.file)", $0.region, $0.line) < ("\($1.file)", $1.region, $1.line)
        }
    }

    /// Where the record of a feature is.
    package static func path(of name: String) throws(ScaffoldRefusal) -> RelativePath {
        try folder.appending("\(name).json")
    }

    // MARK: On disk

    private struct Stored: Codable {
        struct Line: Codable {
            let file: String
            let region: String
            let line: String
        }

        let name: String
        let plural: String
        let fields: String
        let policy: String
        /// Missing in records of version 1: everyone.
        let owner: String?
        let toolVersion: Int
        let files: [String: String]
        let regionLines: [Line]
    }

    package init(_ contents: FileContents, at path: RelativePath) throws(ScaffoldRefusal) {
        let stored: Stored
        do { stored = try JSONDecoder().decode(Stored.self, from: Data(contents.bytes)) } catch {
            throw ScaffoldRefusal(
                "'\(path)' is no record of a feature; restore it, for example with 'git checkout -- \(path)'.")
        }
        guard stored.toolVersion <= Self.toolVersion, let policy = FeatureSpec.Policy(rawValue: stored.policy) else {
            throw ScaffoldRefusal("'\(path)' was written by a newer version of this tool; update Strata.")
        }
        let names = try FeatureNames.read(stored.name, plural: stored.plural)
        spec = FeatureSpec(
            name: names.name, plural: names.plural, fields: try FieldParser.parse(stored.fields), policy: policy,
            ownership: stored.owner.flatMap(FeatureSpec.Ownership.init) ?? .everyone)
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
        let stored = Stored(
            name: spec.name.upperCamel, plural: spec.plural.upperCamel, fields: spec.fieldsText,
            policy: spec.policy.rawValue, owner: spec.ownership.rawValue, toolVersion: toolVersion,
            files: Dictionary(uniqueKeysWithValues: files.map { ("\($0.key)", $0.value) }),
            regionLines: regionLines.map { Stored.Line(file: "\($0.file)", region: $0.region, line: $0.line) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Text and numbers always encode.
        return FileContents(bytes: (try? encoder.encode(stored)).map { Array($0) + [0x0A] } ?? [])
    }
}
