package import ArgumentParser
import FoundationEssentials
package import JournalDomain
import StrataDomain
package import StrataTerminal

/// `journal list [--since 12h] [--host H] [--severity S] [--limit N]`.
package struct JournalListCommand: JournalCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List entries, newest first; those the server does not have yet are marked.")

    @OptionGroup var period: SinceOption
    @Option(help: "Only entries about this machine.")
    package var host: String?
    @Option(help: "Only entries of this severity.")
    package var severity: Severity?
    @Option(help: "At most so many entries.")
    package var limit: Int?
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be 1 or more; it is \(limit).") }
    }

    package func run(_ journal: Journal, _ console: Console) async throws {
        let filter = JournalFilter(
            since: try period.date(console.clock.now), host: host, severity: severity, limit: limit)
        let model = await JournalListModel(journal.browse, filter: filter)
        await model.load()
        guard await model.isLoaded else { throw await model.error ?? DomainError.cancelled }
        let items = await model.items
        if console.isJSON { return try console.json(items.map(JournalItemView.init)) }
        console.table(Self.table(items), empty: "No entries.")
        let waiting = items.count { $0.state == .queued }
        if waiting > 0 { console.note("\(waiting) queued: the next sync sends them.") }
        if items.contains(where: { $0.state == .conflicted }) {
            console.note("Settle conflicts with 'shiftlog conflicts list'.")
        }
    }

    private static func table(_ items: [JournalItem]) -> Table {
        var table = Table([
            .init("ID", isWhole: true), .init("TIME"), .init("HOST"), .init("SEVERITY"), .init("STATE"),
            .init("TEXT", isFlexible: true),
        ])
        for item in items {
            let entry = item.entry
            table.add([
                .init(entry.id.rawValue, .dim), .init(TimeText.point(entry.occurredAt)), .init(entry.host),
                .init(entry.severity.rawValue, entry.severity.style),
                .init(item.state == .synced ? "" : item.state.rawValue, item.state.style), .init(entry.text),
            ])
        }
        return table
    }
}
