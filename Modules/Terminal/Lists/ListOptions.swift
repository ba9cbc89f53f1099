public import ArgumentParser

/// The options of every list: `--limit N`.
public struct ListOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Maximum number of rows (default: 50 in a table, all with --json).", valueName: "n"))
    public var limit: Int?

    /// The default number of rows of a table.
    private static let tableRows = 50

    public init() {}

    public func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be 1 or more; it is \(limit).") }
    }

    /// Maximum number of rows; JSON without a limit gets all.
    public func rows(_ console: Console) -> Int { limit ?? (console.isJSON ? .max : Self.tableRows) }

    /// Rows to read: one more than are shown, which tells whether there are more. `nil`: all.
    public func rowsToRead(_ console: Console) -> Int? {
        let rows = rows(console)
        return rows < .max ? rows + 1 : nil
    }
}

extension Console {
    /// Prints how many rows of a list are shown if some are not; on standard error, also with `--json`.
    ///
    /// - Parameter total: Number of rows; `atMost + 1` means more than `atMost`.
    public func noteCut(shown: Int, of total: Int, atMost: Int = .max) {
        guard total > shown else { return }
        let text = total > atMost ? "more than \(QuantityText.count(atMost))" : QuantityText.count(total)
        // "50 of more than 50" says nothing.
        note(
            shown == atMost
                ? "\(QuantityText.count(shown)) shown, and there are more; --limit N shows them."
                : "\(QuantityText.count(shown)) of \(text); --limit N shows more.")
    }
}
