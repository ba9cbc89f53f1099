public import ArgumentParser

/// `--limit N`: how many rows a list shows.
public struct ListLimit: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Maximum number of rows (default: 50 in a table, all with --json).", valueName: "n"))
    public var limit: Int?

    /// Rows of a table that a person did not ask a number of.
    private static let tableRows = 50

    public init() {}

    public func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be 1 or more; it is \(limit).") }
    }

    /// Rows to show at most: a program that gives no limit gets all of them.
    public func rows(_ console: Console) -> Int { limit ?? (console.isJSON ? .max : Self.tableRows) }
}

extension Console {
    /// Says how much of a list is shown, when that is not all of it; on standard error, with `--json` too.
    ///
    /// - Parameter total: Rows there are; one more than `atMost` stands for more than that.
    public func noteCut(shown: Int, of total: Int, atMost: Int = .max) {
        guard total > shown else { return }
        let text = total > atMost ? "more than \(QuantityText.count(atMost))" : QuantityText.count(total)
        note("\(QuantityText.count(shown)) of \(text); --limit N shows more.")
    }
}
