import StrataDomain

/// Prints the rows of a list while they are read: the one place where a list becomes a table or JSON.
///
/// JSON is one array on a line, which need not fit into memory. Its beginning is printed after some hundred rows or with `finish`,
/// so that a list whose first read fails leaves the output empty.
public struct ListOutput<Item: Sendable>: Sendable {
    private var console: Console
    private var view: ListView<Item>
    /// Rows to show at most.
    private let rows: Int
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

    init(_ console: Console, _ view: ListView<Item>) {
        (self.console, self.view) = (console, view)
        rows = view.options.rows(console)
    }

    /// Whether the rows become a table, which can be drawn again in its place.
    var isTable: Bool { !console.isJSON }

    /// Adds a row; it is shown at once where the output allows it.
    public mutating func add(_ item: Item) {
        count += 1
        guard count <= rows, failure == nil else { return }
        if isTable { return items.append(item) }
        do {
            documents.append(String(decoding: try WireJSON.encode(view.document(item)), as: UTF8.self))
        } catch { failure = error }
        if documents.count >= Self.pageLength { flush() }
    }

    /// Adds rows, as `add` does.
    public mutating func add(contentsOf items: some Sequence<Item>) { for item in items { add(item) } }

    /// Prints what is left, and on standard error how many rows are shown if some are not.
    ///
    /// - Parameter total: Rows of the whole list. Default: not known, because reading ended after the first row that is not shown.
    /// - Throws: Why a row could not be written as JSON; the array is not ended then.
    public mutating func finish(of total: Int? = nil) throws {
        try printRows()
        noteCut(of: total)
    }

    /// Says this instead of a table without rows.
    mutating func explainNoRows(_ text: String) { view.empty = text }

    /// Prints the rest to another console.
    mutating func move(to console: Console) { self.console = console }

    /// Like `finish`, without a word about rows that are not shown.
    mutating func printRows() throws {
        if let failure { throw failure }
        if isTable { return console.table(view.table(items), empty: view.empty) }
        flush()
        console.output.write(hasBegun ? "]\n" : "[]\n")
    }

    /// The table in as many lines as there is room for, with the number of the rows that are left out.
    ///
    /// - Parameter room: Most rows, 1 or more. The heading and the number take a line each besides.
    func lines(room: Int) -> [String] {
        let shown = Array(items.prefix(room))
        var lines =
            shown.isEmpty
            ? [Text(view.empty, .dim).rendered(colored: console.outputColored)]
            : view.table(shown).lines(
                width: console.output.width, colored: console.outputColored, times: console.times,
                now: console.clock.now)
        if shown.count < count { lines.append("… \(QuantityText.count(count - shown.count)) more") }
        return lines
    }

    private mutating func flush() {
        guard !documents.isEmpty else { return }
        console.output.write((hasBegun ? "," : "[") + SafeText.escapedJSON(documents.joined(separator: ",")))
        hasBegun = true
        documents.removeAll(keepingCapacity: true)
    }

    private func noteCut(of total: Int?) {
        let shown = min(count, rows)
        guard total ?? count > shown else { return }
        let text = QuantityText.count(shown)
        console.note(
            total.map { "\(text) of \(QuantityText.count($0)); --limit N shows more." }
                ?? "\(text) shown, and there are more; --limit N shows them.")
    }
}

extension Console {
    /// The output of a list that is printed while it is read.
    public func list<Item>(_ view: ListView<Item>) -> ListOutput<Item> { ListOutput(self, view) }

    /// Prints a list.
    ///
    /// - Parameters:
    ///   - items: Those of the list, or more than are shown.
    ///   - total: As for `ListOutput.finish`.
    public func list<Item>(_ items: [Item], _ view: ListView<Item>, of total: Int? = nil) throws {
        var output = list(view)
        output.add(contentsOf: items)
        try output.finish(of: total)
    }

    /// Prints the end of a list, through the pager where it is longer than the terminal.
    ///
    /// - Parameter total: As for `ListOutput.finish`.
    func finish<Item>(_ output: ListOutput<Item>, of total: Int?) async throws {
        try await paged { console in
            var output = output
            output.move(to: console)
            try output.finish(of: total)
        }
    }

    /// Prints one value: as JSON, or as `text` prints it.
    public func show(_ value: some Encodable, asText text: () throws -> Void) throws {
        if isJSON { try json(value) } else { try text() }
    }
}
