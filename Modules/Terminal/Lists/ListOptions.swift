public import ArgumentParser

/// The options of every list: `--limit N`. A command hands them to its `ListView`; `ListOutput` applies them.
public struct ListOptions: ParsableArguments, Sendable {
    /// `--limit`: the most rows; `nil` for all, or for what the command has as default.
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
    package func rowsToRead(_ console: Console) -> Int? {
        let rows = rows(console)
        return rows < .max ? rows + 1 : nil
    }
}
