import JournalDomain
import StrataDomain
import StrataTerminal

extension Console {
    /// Says that an entry was written, and whether the server has it.
    func confirm(_ item: JournalItem) throws {
        if isJSON { return try jsonOfChange(JournalItemView(item)) }
        try confirm(item.id.rawValue, item.state.rawValue)
        switch item.state {
        case .synced, .queued: break
        case .conflicted: warn("It was changed on the server, too; 'shiftlog conflicts list' shows both.")
        case .rejected: warn("The server refused it; 'shiftlog outbox list' shows why.")
        }
    }
}

extension Journal {
    /// The id of the entry that a part of it selects.
    func completed(_ id: JournalEntry.ID) async throws -> JournalEntry.ID {
        try await id.completed { try await ids(with: $0) }
    }
}

extension JournalItem.State {
    var style: TextStyle {
        switch self {
        case .synced: .plain
        case .queued: .cyan
        case .conflicted: .yellow
        case .rejected: .red
        }
    }
}

extension Severity {
    /// For a narrow terminal.
    var short: String {
        switch self {
        case .info: "info"
        case .warning: "warn"
        case .critical: "crit"
        }
    }

    var style: TextStyle {
        switch self {
        case .info: .plain
        case .warning: .yellow
        case .critical: .red
        }
    }
}
