package import ArgumentParser
import FoundationEssentials
package import JournalDomain
import StrataConcurrency
import StrataDomain
package import StrataTerminal

/// `journal edit ID [--text T] [--severity S] [--host H] [--at TIME] [--runbook ID]`.
package struct JournalEditCommand: JournalCommand {
    package static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Update an entry; without a network the update is queued.",
        discussion: "Example: shiftlog journal edit 9f2c41d --severity warning")

    @Argument(help: "From 'journal list'.")
    package var id: JournalEntry.ID
    @OptionGroup package var fields: EntityOptions<JournalEntry, ChangedValues>
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func validate() throws {
        if fields.values.isEmpty {
            let names = JournalEntry.fields.map { "--\($0.option)" }.joined(separator: ", ")
            throw ValidationError("Nothing to change: give one of \(names).")
        }
    }

    package func run(_ journal: Journal, _ console: Console) async throws {
        let changes = fields.values
        let warnings = try await journal.surroundings.check(
            occurredAt: changes["occurred_at"].flatMap(Date.init(fieldValue:)),
            runbookId: changes["runbook_id"]?.string,
            now: console.clock.now)
        let id = try await journal.completed(id)
        try await journal.update(id, changes)
        try await journal.confirm(id, warnings, console)
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
        switch try await shielded({ () async throws(DomainError) in try await journal.obstacle(id) }) {
        case .rejected:
            throw CommandFailure(
                .rejected,
                "The server refused the deletion, and the entry is here again; 'shiftlog outbox list' says why.")
        case .conflicted:
            throw CommandFailure(
                .rejected, "The entry was changed on the server, too; 'shiftlog conflicts list' shows both.")
        case .synced, .queued, nil: break
        }
        try console.confirm(id.rawValue, "deleted")
        if !console.isJSON { console.note("If the server has it, the next sync removes it there.") }
    }
}

extension Journal {
    /// Says that an entry was written, and whether the server has it.
    ///
    /// - Throws: `CommandFailure` if the server has rejected it already.
    func confirm(_ id: JournalEntry.ID, _ warnings: [String], _ console: Console) async throws {
        await settle()
        let entry = try await shielded { () async throws(DomainError) in try await get(id) }
        defer { for warning in warnings { console.warn(warning) } }
        if console.isJSON {
            try console.jsonOfChange(JournalItemView(entry))
        } else {
            try console.confirm(entry.id.rawValue, entry.syncState.rawValue)
        }
        switch entry.syncState {
        case .synced, .queued: break
        case .conflicted: console.warn("It was changed on the server, too; 'shiftlog conflicts list' shows both.")
        case .rejected:
            throw CommandFailure(.rejected, "The server refused it; 'shiftlog outbox list' shows why.")
        }
    }

    /// The id of the entry that a part of it selects.
    func completed(_ id: JournalEntry.ID) async throws -> JournalEntry.ID {
        try await id.completed { try await ids(with: $0) }
    }
}
