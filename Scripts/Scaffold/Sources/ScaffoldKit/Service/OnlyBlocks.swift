/// Lines that only some services have, between `scaffold:only NAME` and `scaffold:end-only` in comments of their own lines.
///
/// NAME is a feature, an extra such as `Compose`, `Template` for what is Strata's own, or `Copied`, `Linked` or `Fetched`, which says where a service has
/// Strata from. The marks themselves are in no service.
struct OnlyBlocks: Sendable {
    /// Features, extras, and the word of `StrataOrigin`.
    let present: Set<String>
    /// Features that stay behind; their lines in marked lists and their imports go, too.
    let absent: Set<String>

    /// - Throws: A refusal naming the line of a mark without its counterpart.
    func cut(_ text: String, of path: String) throws(ScaffoldRefusal) -> String {
        guard text.contains("scaffold:") || absent.contains(where: text.contains) else { return text }
        var lines: [Substring] = []
        var block: (isKept: Bool, line: Int)?
        var isInList = false
        // The empty line after a block that goes would be a second one.
        var wasCut = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            switch Self.mark(line) {
            case ("scaffold:only", let names)?:
                if let block {
                    throw ScaffoldRefusal(
                        "'\(path)', line \(index + 1): a block begins inside the one of line \(block.line); end that first."
                    )
                }
                block = (names.contains(where: present.contains), index + 1)
            case ("scaffold:end-only", _)?:
                guard let ended = block else {
                    throw ScaffoldRefusal("'\(path)', line \(index + 1): nothing began that 'scaffold:end-only' ends.")
                }
                block = nil
                wasCut = !ended.isKept && lines.last?.isEmpty == true
            case let found:
                defer { wasCut = false }
                if wasCut, line.isEmpty { continue }
                if found?.word == "scaffold:begin" { isInList = true }
                if found?.word == "scaffold:end" { isInList = false }
                guard block?.isKept ?? true, !(isInList && names(absent, in: line)), !imports(absent, line) else {
                    continue
                }
                lines.append(line)
            }
        }
        if let block { throw ScaffoldRefusal("'\(path)', line \(block.line): the block has no 'scaffold:end-only'.") }
        return lines.joined(separator: "\n")
    }

    /// `// scaffold:only Journal|Runbooks`: the word, and the names behind it.
    private static func mark(_ line: Substring) -> (word: Substring, names: [String])? {
        guard line.contains("scaffold:") else { return nil }
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard words.count >= 2, ["//", "#", "<!--", "--"].contains(words[0]), words[1].hasPrefix("scaffold:") else {
            return nil
        }
        return (words[1], words.dropFirst(2).first?.split(separator: "|").map(String.init) ?? [])
    }

    /// Whether a line of a list is about one of the features: a module of it, its type, or its name in quotes.
    private func names(_ features: Set<String>, in line: Substring) -> Bool {
        features.contains { feature in
            let isFirst = line.drop { $0 == " " || $0 == "\t" }
            let row = "\(feature.prefix(1).lowercased())\(feature.dropFirst())"
            return isFirst == row || isFirst == ".\(row),"
                || isFirst.hasPrefix(feature) || isFirst.hasPrefix("import \(feature)")
                || isFirst.hasPrefix("Feature(\"\(feature)\"") || isFirst.contains("[\(feature)](")
        }
    }

    private static let parts = ["Domain", "API", "Data", "Service", "Presentation"]

    private func imports(_ features: Set<String>, _ line: Substring) -> Bool {
        guard line.hasPrefix("import ") || line.hasPrefix("@testable import ") else { return false }
        let module = line.split(separator: " ").last ?? ""
        return features.contains { feature in
            module.hasPrefix(feature) && Self.parts.contains { module == feature + $0 }
        }
    }
}
