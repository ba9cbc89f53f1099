package import ArgumentParser
import FoundationEssentials
package import JournalDomain
import StrataDomain
package import StrataTerminal

/// `journal list [--since 12h] [--host H] [--severity S] [--search TEXT] [--limit N]`.
package struct JournalListCommand: JournalCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List entries, newest first; unsent entries are marked.",
        discussion: "Example: shiftlog journal list --since 12h --severity critical")

    @OptionGroup var period: SinceOption
    @OptionGroup package var list: EntityListOptions<JournalEntry>
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package var timeLimit: Duration? { list.timeLimit(options) }

    package func run(_ journal: Journal, _ console: Console) async throws {
        let rows = list.limit.rows(console)
        let query = try list.query(console).validated()
        let since = try period.date(console.timeInput)
        let view = ListView<Stored<JournalEntry>>(rows: rows, empty: "No entries.") {
            JournalTable($0).table
        } document: {
            JournalItemView($0)
        }
        if list.follow {
            // The list is ordered by time, so the entries since then are its beginning.
            try await console.follow(journal.entries, query, view) { item in
                since.map { item.occurredAt >= $0 } ?? true
            }
        }
        let filter = JournalFilter(
            query.filters, search: query.search, since: since, limit: rows == .max ? nil : rows)
        var output = try await journal.reduce(filter, into: console.list(view)) { $0.add($1) }
        // Whether there are more is asked only when there may be.
        let mayBeMore = !console.isJSON && output.count >= rows
        let total = mayBeMore ? try await journal.count(filter, atMost: Self.counted + 1) : nil
        try output.finish(of: total, countedTo: Self.counted)
        console.noteUnsettled(output.items, conflicts: "shiftlog conflicts list")
    }

    /// Entries that are counted to say how many there are.
    private static let counted = 10_000
}

/// `journal show ID`.
package struct JournalShowCommand: JournalCommand {
    package static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an entry.", discussion: "Example: shiftlog journal show 9f2c41d")

    @Argument(help: "From 'journal list'.")
    package var id: JournalEntry.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ journal: Journal, _ console: Console) async throws {
        let entry = try await journal.get(journal.completed(id))
        try console.show(JournalItemView(entry)) {
            console.shortFields(entry)
            console.out("")
            console.out(entry.text)
        }
    }
}

/// `--since 12h`.
struct SinceOption: ParsableArguments {
    @Option(help: ArgumentHelp("Only entries since then: 30m, 12h, 7d, 2w, or \(TimeInput.forms).", valueName: "time"))
    var since: String?

    func validate() throws {
        // Whether it can be read does not depend on the time.
        do { _ = try date(TimeInput.current) } catch { throw ValidationError(error.description) }
    }

    func date(_ times: TimeInput) throws(DomainError) -> Date? {
        guard let since else { return nil }
        if let date = times.date(since) { return date }
        return try Since.date(since, now: times.now)
    }
}
