import FoundationEssentials
import StrataDomain

/// A document that an earlier version of the program wrote: a file in `Tests/Recorded`.
///
/// With `STRATA_RECORD=1` in the environment, `difference` writes the file, and says so: a test that writes it fails.
public struct Recording: Sendable {
    private let path: String

    /// - Parameters:
    ///   - name: The path in `Tests/Recorded`: `Notes/routes.txt`.
    ///   - test: A file in `Tests`.
    public init(_ name: String, of test: String = #filePath) {
        let tests = test.split(separator: "/").prefix { $0 != "Tests" }.joined(separator: "/")
        path = "/\(tests)/Tests/Recorded/\(name)"
    }

    /// The stored text.
    public func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// The first line that differs from the recorded one, with both readings; `nil` for equal texts. The order of members in a
    /// JSON object means nothing (RFC 8259, section 1).
    public func difference(from text: String) throws -> String? {
        try difference(from: text, isWritten: ProcessInfo.processInfo.environment["STRATA_RECORD"] != nil)
    }

    /// - Parameter isWritten: Whether the file is written. Nothing is compared then.
    package func difference(from text: String, isWritten: Bool) throws -> String? {
        if isWritten {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return "\(path) was written; run the test again without STRATA_RECORD"
        }
        let (recorded, found) = (
            try self.text().split(separator: "\n", omittingEmptySubsequences: false),
            text.split(separator: "\n", omittingEmptySubsequences: false)
        )
        let request = { (line: Int) in recorded[...line].last { $0.hasPrefix("> ") || $0.hasPrefix("= ") } ?? "" }
        for (line, pair) in zip(recorded, found).enumerated() where !Self.areSame(pair.0, pair.1) {
            return "line \(line + 1), \(request(line)): recorded \(pair.0), found \(pair.1)"
        }
        return recorded.count == found.count ? nil : "\(recorded.count) lines are recorded, \(found.count) found"
    }

    private static func areSame(_ recorded: Substring, _ found: Substring) -> Bool {
        if recorded == found { return true }
        let values = [recorded, found].map { try? WireJSON.decode(JSONValue.self, from: Data($0.utf8)) }
        return values[0] != nil && values[0] == values[1]
    }
}
