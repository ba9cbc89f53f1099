import FoundationEssentials

/// `.template.json` of a service: what it was made from and how, so that it can be made again and compared.
package struct TemplateRecord: Sendable, Hashable, Codable {
    package static let path = ".template.json"

    /// The commit of the template.
    package let commit: String
    /// Whether the template's files differed from that commit.
    package let isModified: Bool
    package let answers: ServiceSpec
    /// SHA-256 of each file as it was written, in hexadecimal.
    package let files: [String: String]

    package init(commit: String, isModified: Bool, answers: ServiceSpec, files: [String: String]) {
        self.commit = commit
        self.isModified = isModified
        self.answers = answers
        self.files = files
    }

    /// - Throws: A refusal when the bytes are no such record.
    package init(_ contents: FileContents) throws(ScaffoldRefusal) {
        do { self = try JSONDecoder().decode(Self.self, from: Data(contents.bytes)) } catch {
            throw ScaffoldRefusal(
                "'\(Self.path)' is not the record that new-service writes; restore it from version control.")
        }
    }

    var contents: FileContents {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Strings, numbers and collections of them always encode.
        let bytes = (try? encoder.encode(self)).map { Array($0) } ?? []
        return FileContents(bytes: bytes + [0x0A])
    }
}
