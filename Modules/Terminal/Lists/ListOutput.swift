import StrataDomain

/// Prints the rows of a list while they are read: the one place where a list becomes a table or JSON.
///
/// JSON is one array on a line, which need not fit into memory. Its beginning is printed after some hundred rows or with `finish`,
/// so that a list whose first read fails leaves the output empty.
public struct ListOutput<Item: Sendable>: Sendable {
    private let console: Console
    private let view: ListView<Item>
    /// Rows that were added, also those that are not shown.
    public private(set) var count = 0
    /// The rows of a table; none with `--json`.
    public private(set) var items: [Item] = []
    /// JSON that is not printed yet.
    private var documents: [String] = []
    private var hasBegun = false
    /// The first row that cannot be written as JSON ends the array.
    private var failure: (any Error)?

    /// Rows of JSON that are written at a time.
    private static var pageLength: Int { 200 }

    init(_ console: Console, _ view: ListView<Item>) { (self.console, self.view) = (console, view) }

    public mutating func add(_ item: Item) {
        count += 1
        guard count <= view.rows, failure == nil else { return }
        guard console.isJSON else { return items.append(item) }
        do {
            documents.append(String(decoding: try WireJSON.encode(view.document(item)), as: UTF8.self))
        } catch { failure = error }
        if documents.count >= Self.pageLength { flush() }
    }

    /// Prints what is left, and on standard error how many rows are shown if some are not.
    ///
    /// - Parameters:
    ///   - total: Rows of the whole list. Default: those that were added.
    ///   - limit: Rows after which the counting ended, if it did.
    /// - Throws: Why a row could not be written as JSON; the array is not ended then.
    public mutating func finish(of total: Int? = nil, countedTo limit: Int = .max) throws {
        if let failure { throw failure }
        defer { noteCut(of: total ?? count, countedTo: limit) }
        guard console.isJSON else { return console.table(view.table(items), empty: view.empty) }
        flush()
        console.output.write(hasBegun ? "]\n" : "[]\n")
    }

    private mutating func flush() {
        guard !documents.isEmpty else { return }
        console.output.write((hasBegun ? "," : "[") + SafeText.escapedJSON(documents.joined(separator: ",")))
        hasBegun = true
        documents.removeAll(keepingCapacity: true)
    }

    private func noteCut(of total: Int, countedTo limit: Int) {
        let shown = min(count, view.rows)
        guard total > shown else { return }
        let text = total > limit ? "more than \(QuantityText.count(limit))" : QuantityText.count(total)
        // "50 of more than 50" says nothing.
        console.note(
            shown == limit
                ? "\(QuantityText.count(shown)) shown, and there are more; --limit N shows them."
                : "\(QuantityText.count(shown)) of \(text); --limit N shows more.")
    }
}

extension Console {
    /// The output of a list that is printed while it is read.
    public func list<Item>(_ view: ListView<Item>) -> ListOutput<Item> { ListOutput(self, view) }

    /// Prints a list; the parameters are those of `ListOutput.finish`.
    ///
    /// - Parameter items: Those of the list, or more than are shown.
    public func list<Item>(
        _ items: [Item], _ view: ListView<Item>, of total: Int? = nil, countedTo limit: Int = .max
    ) throws {
        var output = list(view)
        for item in items { output.add(item) }
        try output.finish(of: total, countedTo: limit)
    }

    /// Prints one value: as JSON, or as `text` prints it.
    public func show(_ value: some Encodable, asText text: () throws -> Void) throws {
        if isJSON { try json(value) } else { try text() }
    }
}
