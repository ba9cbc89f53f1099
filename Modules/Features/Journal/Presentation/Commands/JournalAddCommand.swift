package import ArgumentParser
import FoundationEssentials
package import JournalDomain
import StrataDomain
package import StrataTerminal

/// `journal add TEXT|- [--host H] [--severity S] [--at TIME] [--runbook ID]`.
package struct JournalAddCommand: JournalCommand {
    package static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Create an entry; without a network it is queued.",
        discussion: """
            Prints the id of the entry and its state: synced (the server has it) or queued.

            Example: shiftlog journal add 'Disk full, rotated the logs' --host web1 --severity warning
            """)

    @Argument(help: "The text, 1 to 16384 bytes; - reads it from standard input.")
    package var text: String
    @Option(help: "The host of the entry (default: this machine).")
    package var host: String?
    @Option(help: "The severity.")
    package var severity: Severity = .info
    @Option(
        help: ArgumentHelp("The time of the entry, such as 2026-11-21T09:05:00Z (default: now).", valueName: "time"))
    package var at: Moment?
    @Option(help: ArgumentHelp("The runbook that was followed.", valueName: "id"))
    package var runbook: String?
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ journal: Journal, _ console: Console) async throws {
        let now = console.clock.now
        let draft = JournalDraft(
            host: host ?? console.hostName, severity: severity, text: try await content(console),
            occurredAt: at?.date ?? now, runbookId: runbook)
        let warnings = try await journal.surroundings.check(
            occurredAt: draft.occurredAt, runbookId: runbook, now: now)
        let entry = try await journal.create(draft)
        await journal.settle()
        try console.confirm(try await journal.get(entry.id))
        for warning in warnings { console.warn(warning) }
    }

    /// The text; from standard input without the line break at its end.
    private func content(_ console: Console) async throws -> String {
        guard text == "-" else { return text }
        var text = try await console.text(of: "-", limit: JournalRules.textBytes.upperBound + 2)
        if text.last?.isNewline ?? false { text.removeLast() }
        return text
    }
}
