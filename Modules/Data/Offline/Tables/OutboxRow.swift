import FoundationEssentials
import GRDB
import StrataDomain

/// An outbox entry as a row of its table.
enum OutboxRow {
    private static let columns = """
        client_seq, mutation_id, collection, entity_id, operation, base_version, fields, at, state, attempts, \
        next_attempt_at, error
        """
    static let selection = "SELECT \(columns) FROM outbox"
    static let insertion = "INSERT OR REPLACE INTO outbox (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

    /// - Throws: `DamagedEntry` for a row that no version of the engine writes.
    static func entry(_ row: Row) throws -> OutboxEntry {
        do { return try intact(row) } catch var damage as DamagedEntry {
            damage.name = String.fromDatabaseValue(row[1]) ?? "?"
            throw damage
        }
    }

    /// The entry for display: one that cannot be read is refused, with the reason.
    static func shown(_ row: Row) throws -> OutboxEntry {
        do { return try entry(row) } catch let damage as DamagedEntry {
            func text(_ column: Int) -> String { String.fromDatabaseValue(row[column]) ?? "?" }
            let mutation = Mutation(
                id: text(1), clientSeq: row[0], collection: text(2), entityId: text(3),
                operation: Mutation.Operation(rawValue: text(4)) ?? .patch, baseVersion: nil, fields: [:],
                at: Date(milliseconds: Int64.fromDatabaseValue(row[7]) ?? 0))
            return OutboxEntry(
                mutation: mutation, state: .rejected, attempts: Int.fromDatabaseValue(row[9]) ?? 0,
                nextAttemptAt: nil, error: damage.description)
        }
    }

    private static func intact(_ row: Row) throws -> OutboxEntry {
        guard let operation = Mutation.Operation(rawValue: try row.intact(4, "operation")),
            let state = OutboxEntry.State(rawValue: try row.intact(8, "state"))
        else { throw DamagedEntry(name: "", fault: "unknown operation or state") }
        guard let fields = try? FieldText.decode(row.intact(6, "fields")) else {
            throw DamagedEntry(name: "", fault: "unreadable fields")
        }
        let mutation = Mutation(
            id: try row.intact(1, "id"), clientSeq: row[0], collection: try row.intact(2, "collection"),
            entityId: try row.intact(3, "entity"), operation: operation,
            baseVersion: try row.intact(optional: 5, "version"), fields: fields,
            at: Date(milliseconds: try row.intact(7, "time")))
        return OutboxEntry(
            mutation: mutation, state: state, attempts: try row.intact(9, "number of tries"),
            nextAttemptAt: (try row.intact(optional: 10, "time") as Int64?).map(Date.init(milliseconds:)),
            error: try row.intact(optional: 11, "error"))
    }

    static func arguments(_ entry: OutboxEntry) throws -> StatementArguments {
        let write = entry.mutation
        return [
            write.clientSeq, write.id, write.collection, write.entityId, write.operation.rawValue, write.baseVersion,
            try FieldText.encode(write.fields), write.at.milliseconds, entry.state.rawValue, entry.attempts,
            entry.nextAttemptAt?.milliseconds, entry.error,
        ]
    }
}
