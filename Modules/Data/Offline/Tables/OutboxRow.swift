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

    static func entry(_ row: Row) throws -> OutboxEntry {
        guard let operation = Mutation.Operation(rawValue: row[4]), let state = OutboxEntry.State(rawValue: row[8])
        else {
            throw DomainError.unexpected("Entry '\(row[1] as String)' of the outbox has an unknown operation or state.")
        }
        let mutation = Mutation(
            id: row[1], clientSeq: row[0], collection: row[2], entityId: row[3], operation: operation,
            baseVersion: row[5], fields: try FieldText.decode(row[6]), at: Date(milliseconds: row[7]))
        return OutboxEntry(
            mutation: mutation, state: state, attempts: row[9],
            nextAttemptAt: (row[10] as Int64?).map(Date.init(milliseconds:)), error: row[11])
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
