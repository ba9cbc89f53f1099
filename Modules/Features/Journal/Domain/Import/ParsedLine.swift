/// What a line of a log became.
package enum ParsedLine: Sendable, Hashable {
    /// - Parameter hasOwnTime: Whether the line says when it occurred; else the entry has the time of reading.
    case entry(JournalEntry, hasOwnTime: Bool)
    /// Nothing but white space.
    case blank
    case failure(LineFailure)
}

/// A line that did not become an entry.
package struct LineFailure: Sendable, Hashable, Codable {
    /// Counted from 1.
    package var line: Int
    package var reason: String
    /// The beginning of the line, at most 80 characters, safe to print.
    package var excerpt: String

    package init(line: Int, reason: String, excerpt: String = "") {
        self.line = line
        self.reason = reason
        self.excerpt = excerpt
    }

    init(line: Int, reason: String, bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes.prefix(640), as: UTF8.self)
        // A control character would act on the terminal that shows the excerpt.
        let safe = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
                ? Character("\u{FFFD}") : Character(scalar)
        }
        let isCut = safe.count > 80
        self.init(line: line, reason: reason, excerpt: String(isCut ? safe.prefix(79) + ["…"] : safe[...]))
    }
}
