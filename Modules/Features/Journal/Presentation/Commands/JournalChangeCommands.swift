package import ArgumentParser
package import JournalDomain
import StrataDomain
package import StrataTerminal

/// `journal edit ID [--text T] [--severity S] [--host H] [--at TIME] [--runbook ID]`.
package struct JournalEditCommand: JournalCommand {
    package static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Update an entry; without a network the update is queued.",
        discussion: "Example: shiftlog journal edit 9f2c41d --severity warning")

    @Argument(help: "From 'journal list'.")
    package var id: JournalEntry.ID
    @Option(help: "The text.")
    package var text: String?
    @Option(help: "The severity.")
    package var severity: Severity?
    @Option(help: "The host of the entry.")
    package var host: String?
    @Option(help: ArgumentHelp("The time of the entry, such as 2026-11-21T09:05:00Z.", valueName: "time"))
    package var at: Moment?
    @Option(help: ArgumentHelp("The runbook that was followed.", valueName: "id"))
    package var runbook: String?
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func validate() throws {
        if edit.isEmpty {
            throw ValidationError("Nothing to change: give --text, --severity, --host, --at or --runbook.")
        }
    }

    package func run(_ journal: Journal, _ console: Console) async throws {
        let warnings = try await journal.surroundings.check(
            occurredAt: at?.date, runbookId: runbook, now: console.clock.now)
        let entry = try await journal.update(journal.completed(id), edit)
        await journal.settle()
        try console.confirm(try await journal.get(entry.id))
        for warning in warnings { console.warn(warning) }
    }

    private var edit: JournalEdit {
        JournalEdit(host: host, severity: severity, text: text, occurredAt: at?.date, runbookId: runbook)
    }
}

/// `journal rm ID`.
package struct JournalRemoveCommand: JournalCommand {
    package static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete an entry; without a network the deletion is queued.",
        discussion: "Example: shiftlog journal rm 9f2c41d")

    @Argument(help: "From 'journal list'.")
    package var id: JournalEntry.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ journal: Journal, _ console: Console) async throws {
        let id = try await journal.completed(id)
        try await journal.delete(id)
        await journal.settle()
        try console.confirm(id.rawValue, "removed")
        if !console.isJSON { console.note("If the server has it, the next sync removes it there.") }
    }
}
