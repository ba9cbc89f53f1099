package import ArgumentParser
import FoundationEssentials
package import JournalDomain
package import StrataDomain
package import StrataTerminal

/// `journal add TEXT|- [--host H] [--severity S] [--at TIME] [--runbook ID]`.
package struct JournalAddCommand: JournalCommand {
    package static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Create an entry; without a network it is queued.",
        discussion: """
            Without options the entry is about this machine, has the severity info and the present time. Prints the id of the \
            entry and its state: synced (the server has it) or queued.

            Example: shiftlog journal add 'Disk full, rotated the logs' --host web1 --severity warning
            """)

    @Argument(help: "The text, 1 to 16384 bytes; - reads it from standard input.")
    package var text: String
    @OptionGroup package var fields: EntityOptions<JournalEntry, FieldsBesideText>
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ journal: Journal, _ console: Console) async throws {
        let now = console.clock.now
        let defaults = JournalEntry(host: console.hostName, text: try await content(console), occurredAt: now)
        let entry = try defaults.changing(fields.values)
        let warnings = try await journal.surroundings.check(
            occurredAt: fields.values["occurred_at"] == nil ? now : entry.occurredAt, runbookId: entry.runbookId,
            now: now)
        let id = try await journal.create(JournalDraft(entry))
        try await journal.confirm(id, warnings, console)
    }

    /// The text; from standard input without the line break at its end.
    private func content(_ console: Console) async throws -> String {
        guard text == "-" else { return text }
        var text = try await console.text(of: "-", limit: JournalEntry.textBytes.upperBound + 2)
        if text.last?.isNewline ?? false { text.removeLast() }
        return text
    }
}

/// The fields of a new entry that are options; all have defaults.
package enum FieldsBesideText: OptionPresence {
    package static func isOffered<Content>(_ field: EntityField<Content>) -> Bool { field.name != "text" }
    package static func isRequired<Content>(_ field: EntityField<Content>) -> Bool { false }
}
