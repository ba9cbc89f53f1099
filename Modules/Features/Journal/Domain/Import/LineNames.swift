import StrataDomain

/// Gives each line of one import its id.
///
/// A line that says when it occurred is named by format, host, its bytes, and how many equal lines came before it,
/// so that a second import of the same log finds every line known, and a line that the log really has twice is kept twice.
/// A line of a file that does not is named by everything of its kind that came before it, too: the same words mean
/// something else in another file.
struct LineNames {
    private let identity: ImportLog.Identity
    private let prefix: [UInt8]
    private var occurrences: [String: Int] = [:]
    /// The name of the last line without a time.
    private var last = ""

    init(_ identity: @escaping ImportLog.Identity, format: LogFormat, host: String) {
        self.identity = identity
        // Neither a format nor a host holds a line feed, so no two inputs run together.
        prefix = Array("\(format.rawValue)\n\(host)\n".utf8)
    }

    /// The id of a line that says when it occurred.
    mutating func id(for line: [UInt8]) -> JournalEntry.ID {
        let content = Self.content(line)
        let name = identity(prefix + content)
        let earlier = occurrences[name, default: 0]
        occurrences[name] = earlier + 1
        // One line feed more than any first occurrence has: a line holds none.
        return JournalEntry.ID(earlier == 0 ? name : identity(prefix + content + Array("\n\(earlier)".utf8)))
    }

    /// The id of a line that does not.
    mutating func idInFile(for line: [UInt8]) -> JournalEntry.ID {
        // Two line feeds in a row, which no name above has.
        last = identity(prefix + Array("\(last)\n\n".utf8) + Self.content(line))
        return JournalEntry.ID(last)
    }

    private static func content(_ line: [UInt8]) -> ArraySlice<UInt8> {
        line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
    }
}
