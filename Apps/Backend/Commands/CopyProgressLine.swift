import StrataService
import StrataSystem

/// Shows on standard error how far a copy is: on a terminal one line that changes, otherwise one line for each table.
struct CopyProgressLine {
    private let isTerminal = isatty(FileDescriptor.standardError.rawValue) == 1
    private var table: String?
    private var rows = 0

    mutating func show(_ event: StoreCopy.Event) {
        switch event {
        case .copied(let table, let rows):
            if table != self.table { endTable() }
            (self.table, self.rows) = (table, rows)
            if isTerminal { StandardStreams.errorPart("\r\u{1B}[K\(table): \(rows) rows") }
        case .comparing:
            endTable()
            StandardStreams.error("Comparing both databases row by row.")
        }
    }

    /// Ends the current line.
    mutating func end() { endTable() }

    private mutating func endTable() {
        guard let table else { return }
        let start = isTerminal ? "\r\u{1B}[K" : ""
        StandardStreams.error("\(start)\(table): \(rows) rows")
        self.table = nil
    }
}
