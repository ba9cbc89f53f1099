package import JournalDomain
package import StrataDomain
package import StrataTerminal

/// How the journal looks on the terminal.
package enum JournalView: EntityView {
    package typealias Content = JournalEntry

    package static let emptyList = "No entries."

    package static func discussion(_ verb: EntityVerb) -> String? {
        switch verb {
        case .add:
            """
            Without options the entry is about this machine, has the severity info and the present time. Prints the id of the entry \
            and its state: synced (the server has it) or queued.
            """
        case .edit, .remove: "Without a network the change is queued."
        case .list, .show: nil
        }
    }

    package static func outcome(_ result: String, _ item: Stored<JournalEntry>) -> String { item.syncState.rawValue }

    /// The text has the last column; the state, and each field that most entries go without, has one only where an entry has it.
    package static func table(_ items: [Stored<JournalEntry>]) -> Table {
        let hasStates = items.contains { $0.syncState != .synced }
        let others = JournalEntry.fields.filter { field in
            !own.contains(field.name) && items.contains { field.value($0.content) != .null }
        }
        var table = Table(
            [.id("ID"), .time("TIME"), .init("HOST"), .init("SEVERITY", narrow: "SEV")] + others.map(\.column)
                + (hasStates ? [.init("STATE")] : []) + [.init("TEXT", isFlexible: true)])
        for item in items {
            let state = item.syncState
            table.add(
                [
                    .init(item.id.rawValue, .dim), .init(item.occurredAt), .init(item.host),
                    .init(item.severity.rawValue, item.severity.style, narrow: item.severity.short),
                ] + others.map { $0.cell(item.content) }
                    + (hasStates ? [.init(state == .synced ? "" : state.rawValue, state.style)] : [])
                    + [.init(item.text)])
        }
        return table
    }

    /// Fields with a column of their own, and the runbook, which 'journal show' shows.
    private static let own = ["host", "severity", "text", "occurred_at", "runbook_id"]

    package static func document(_ item: Stored<JournalEntry>) -> Document { Document(entry: item) }

    /// Named as on the wire, with the sync state.
    package struct Document: Encodable, Sendable {
        fileprivate let entry: Stored<JournalEntry>

        private enum CodingKeys: String, CodingKey { case state, queued }

        package func encode(to encoder: any Encoder) throws {
            var sent = entry
            sent.syncState = .synced
            try sent.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(entry.syncState, forKey: .state)
            try container.encode(entry.syncState == .queued, forKey: .queued)
        }
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
