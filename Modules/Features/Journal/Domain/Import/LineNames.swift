import StrataDomain

/// Gives each line of one import its id.
///
/// A line that says when it occurred is named by format, host, its bytes, and how many equal lines came before it,
/// so that a second import of the same log finds every line known, and a line that the log really has twice is kept twice.
struct LineNames {
    private let identity: any LineIdentity
    private let prefix: [UInt8]
    private var occurrences: [String: Int] = [:]

    init(_ identity: any LineIdentity, format: LogFormat, host: String) {
        self.identity = identity
        // Neither a format nor a host holds a line feed, so no two inputs run together.
        prefix = Array("\(format.rawValue)\n\(host)\n".utf8)
    }

    mutating func id(for line: [UInt8]) -> JournalEntry.ID {
        let content = line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
        let name = identity.id(for: prefix + content)
        let earlier = occurrences[name, default: 0]
        occurrences[name] = earlier + 1
        // One line feed more than any first occurrence has: a line holds none.
        return JournalEntry.ID(earlier == 0 ? name : identity.id(for: prefix + content + Array("\n\(earlier)".utf8)))
    }
}
