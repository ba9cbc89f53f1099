import JournalAPI
import JournalDomain
import StrataDomain
import StrataService

extension JournalTable {
    /// A page of the list, newest first (`occurred_at`, then id).
    ///
    /// - Throws: 400 for a cursor of another list, 422 for a filter or limit out of range.
    static func page(
        _ call: ListJournalEntries, in store: any StoreReader
    ) throws -> CursorPage<JournalEntryPayload> {
        let limit = try PageLimit.checked(call.limit, in: 1...500, default: 50)
        var conditions = try filter(call)
        if let cursor = call.cursor { conditions.append(try after(cursor)) }
        let filter = conditions.reduce("1 = 1") { "\($0) AND \($1)" as Statement }
        return try store.page(
            of: "journal", "SELECT \(columns) FROM journal_entry WHERE \(filter) ORDER BY occurred_at DESC, id DESC",
            limit: limit
        ) {
            JournalEntryPayload(try JournalEntry($0))
        } cursor: {
            KeysetCursor(RFC3339.string(from: $0.occurredAt), $0.id.rawValue)
        }
    }

    private static func filter(_ call: ListJournalEntries) throws -> [Statement] {
        var conditions: [Statement] = []
        if let since = call.since { conditions.append("occurred_at >= \(since)") }
        if let host = call.host {
            var check = FieldCheck()
            JournalRules.check(host: host, into: &check)
            try ServiceError.accepting { () throws(DomainError) in try check.orThrow("The filter was not accepted.") }
            conditions.append("host = \(host)")
        }
        if let severity = call.severity { conditions.append("severity = \(severity.rawValue)") }
        return conditions
    }

    private static func after(_ text: String) throws -> Statement {
        let cursor = try KeysetCursor(text, for: "journal", count: 2)
        guard let occurredAt = RFC3339.date(from: cursor.values[0]) else { throw KeysetCursor.invalid }
        return "(occurred_at, id) < (\(occurredAt), \(cursor.values[1]))"
    }
}
