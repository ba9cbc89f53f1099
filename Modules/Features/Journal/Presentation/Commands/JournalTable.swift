import JournalDomain
import StrataDomain
import StrataTerminal

/// Entries as a table. The text has the last column; the state, and each field that most entries go without, has one only where an
/// entry has it.
struct JournalTable {
    private let items: [Stored<JournalEntry>]
    private let others: [EntityField<JournalEntry>]
    private let hasStates: Bool

    init(_ items: [Stored<JournalEntry>]) {
        self.items = items
        hasStates = items.contains { $0.syncState != .synced }
        others = JournalEntry.fields.filter { field in
            !Self.own.contains(field.name) && items.contains { field.value($0.content) != .null }
        }
    }

    /// Fields with a column of their own, and the runbook, which 'journal show' shows.
    private static let own = ["host", "severity", "text", "occurred_at", "runbook_id"]

    var table: Table {
        var table = Table(
            [.id("ID"), .time("TIME"), .init("HOST"), .init("SEVERITY", narrow: "SEV")] + others.map(\.column)
                + (hasStates ? [.init("STATE")] : []) + [.init("TEXT", isFlexible: true)])
        for item in items { table.add(cells(item)) }
        return table
    }

    private func cells(_ item: Stored<JournalEntry>) -> [Table.Cell] {
        let state = item.syncState
        return [
            .init(item.id.rawValue, .dim), .init(item.occurredAt), .init(item.host),
            .init(item.severity.rawValue, item.severity.style, narrow: item.severity.short),
        ] + others.map { $0.cell(item.content) }
            + (hasStates ? [.init(state == .synced ? "" : state.rawValue, state.style)] : []) + [.init(item.text)]
    }
}

extension Severity {
    /// For a narrow terminal.
    fileprivate var short: String {
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
