package import ArgumentParser
package import JournalDomain
import StrataDomain
package import StrataTerminal

/// `journal show ID`.
package struct JournalShowCommand: JournalCommand {
    package static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an entry.", discussion: "Example: shiftlog journal show 9f2c41d")

    @Argument(help: "From 'journal list'.")
    package var id: JournalEntry.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ journal: Journal, _ console: Console) async throws {
        let item = try await journal.get(journal.completed(id))
        if console.isJSON { return try console.json(JournalItemView(item)) }
        let entry = item.entry
        console.fields([
            ("id", entry.id.rawValue), ("host", entry.host), ("severity", entry.severity.rawValue),
            ("occurred", console.times.point(entry.occurredAt)), ("runbook", entry.runbookId ?? "none"),
            ("state", item.state.rawValue), ("version", "\(entry.version)"),
            ("updated", console.times.point(entry.updatedAt)),
        ])
        console.out("")
        console.out(entry.text)
    }
}
