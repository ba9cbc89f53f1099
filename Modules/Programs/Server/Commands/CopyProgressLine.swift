import StrataService
import StrataSystem

/// Shows on standard error how far a copy is: on a terminal one line that changes, otherwise one line for each table.
struct CopyProgressLine {
    private let isTerminal = isatty(FileDescriptor.standardError.rawValue) == 1
    private var line: (subject: String, text: String)?

    mutating func show(_ event: StoreCopy.Event) {
        switch event {
        case .copied(let table, let rows): show(table, "\(table): \(rows) rows")
        case .stored(let contents): show("files", "attached files: \(contents)")
        case .comparing:
            end()
            StandardStreams.error("Comparing both databases row by row.")
        }
    }

    private mutating func show(_ subject: String, _ text: String) {
        if subject != line?.subject { end() }
        line = (subject, text)
        if isTerminal { StandardStreams.errorPart("\r\u{1B}[K\(text)") }
    }

    /// Ends the current line.
    mutating func end() {
        guard let line else { return }
        StandardStreams.error((isTerminal ? "\r\u{1B}[K" : "") + line.text)
        self.line = nil
    }
}
