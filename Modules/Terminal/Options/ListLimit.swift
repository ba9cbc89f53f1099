public import ArgumentParser

/// `--limit N`: how many rows a list shows, for people and programs.
public struct ListLimit: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Show at most this many; a note says when there are more.", valueName: "n"))
    public var limit: Int = 50

    public init() {}

    public func validate() throws {
        if limit < 1 { throw ValidationError("--limit must be 1 or more; it is \(limit).") }
    }
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
