package import ArgumentParser
import FoundationEssentials
package import JournalDomain
import StrataDomain
package import StrataTerminal

/// `journal list [--since 12h] [--host H] [--severity S] [--limit N]`.
package struct JournalListCommand: JournalCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List entries, newest first; unsent entries are marked.",
        discussion: "Example: shiftlog journal list --since 12h --severity critical")

    @OptionGroup var period: SinceOption
    @Option(help: "Only entries of this host.")
    package var host: String?
    @Option(help: "Only entries of this severity.")
    package var severity: Severity?
    @OptionGroup package var limit: ListLimit
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ journal: Journal, _ console: Console) async throws {
        let rows = limit.rows(console)
        let filter = JournalFilter(
            since: try period.date(console.clock.now), host: host, severity: severity,
            limit: rows == .max ? nil : rows)
        if console.isJSON {
            var array = try await journal.reduce(filter, into: console.jsonArray(of: JournalItemView.self)) {
                $0.add(JournalItemView($1))
            }
            return try array.finish()
        }
        let model = await JournalListModel(journal, filter: filter)
        await model.load()
        guard await model.isLoaded else { throw await model.error ?? DomainError.cancelled }
        let items = await model.items
        // Whether there are more is asked only when there may be.
        let total =
            items.count < rows ? items.count : try await journal.count(filter, atMost: Self.counted + 1)
        defer { console.noteCut(shown: items.count, of: total, atMost: Self.counted) }
        console.table(Self.table(items), empty: "No entries.")
        let waiting = items.count { $0.state == .queued }
        if waiting > 0 { console.note("\(waiting) queued: the next sync sends them.") }
        if items.contains(where: { $0.state == .conflicted }) {
            console.note("Settle conflicts with 'shiftlog conflicts list'.")
        }
    }

    /// Entries that are counted to say how many there are.
    private static let counted = 10_000

    private static func table(_ items: [JournalItem]) -> Table {
        // The room is the text's where the server has everything.
        let isUnsettled = items.contains { $0.state != .synced }
        var table = Table(
            [.id("ID"), .time("TIME"), .init("HOST"), .init("SEVERITY", narrow: "SEV")]
                + (isUnsettled ? [.init("STATE")] : [])
                + [.init("TEXT", isFlexible: true)])
        for item in items {
            let entry = item.entry
            table.add(
                [
                    .init(entry.id.rawValue, .dim), .init(entry.occurredAt), .init(entry.host),
                    .init(entry.severity.rawValue, entry.severity.style, narrow: entry.severity.short),
                ] + (isUnsettled ? [.init(item.state == .synced ? "" : item.state.rawValue, item.state.style)] : [])
                    + [.init(entry.text)])
        }
        return table
    }
}
