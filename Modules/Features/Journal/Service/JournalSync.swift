import FoundationEssentials
import JournalAPI
import JournalDomain
import StrataDomain
import StrataService

/// The synchronised collection of journal entries.
struct JournalSync: SyncedTable {
    let name = JournalEntryPayload.collection
    let table = "journal_entry"
    let columns = [
        SyncedColumn("host", .text), SyncedColumn("severity", .text), SyncedColumn("text", .text),
        SyncedColumn("occurred_at", .time), SyncedColumn("runbook_id", .text, isOptional: true),
    ]

    func apply(
        _ mutation: Mutation, by principal: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws -> Int {
        guard let id = JournalEntry.ID(parameter: mutation.entityId) else {
            throw Self.refusal("entity_id", "must be \(JournalEntry.ID.parameterKind)")
        }
        if case .host = principal, mutation.operation != .create {
            throw ServiceError.forbidden("A host token may only append journal entries.")
        }
        return switch mutation.operation {
        case .create: try create(id, mutation, by: principal, in: transaction, now)
        case .patch: try patch(id, mutation, in: transaction, now)
        case .delete: try delete(id, mutation, in: transaction, now)
        }
    }

    private func create(
        _ id: JournalEntry.ID, _ mutation: Mutation, by principal: Principal, in store: any StoreTransaction,
        _ now: Date
    ) throws -> Int {
        var payload: JournalDraftPayload = try Self.decode(mutation.fields)
        guard payload.id == nil || payload.id == id else {
            throw Self.refusal("fields.id", "must be the entity_id or be left out")
        }
        guard payload.host != nil else { throw Self.refusal("fields.host", "must be a string") }
        payload.id = id
        payload.occurredAt = payload.occurredAt ?? mutation.at
        return try JournalTable.create(payload, by: principal, at: now, in: store).version
    }

    private func patch(
        _ id: JournalEntry.ID, _ mutation: Mutation, in store: any StoreTransaction, _ now: Date
    ) throws -> Int {
        guard let base = mutation.baseVersion else { throw Self.refusal("base_version", "must be given for a patch") }
        let payload: JournalEditPayload = try Self.decode(mutation.fields)
        // The row was deleted after the writer read it, so the user must resolve the conflict.
        guard let entry = try JournalTable.entry(id, in: store), entry.version == base else {
            throw SyncConflictError()
        }
        return try JournalTable.patch(entry, with: payload, at: now, in: store).version
    }

    /// A delete of a missing row succeeds.
    private func delete(
        _ id: JournalEntry.ID, _ mutation: Mutation, in store: any StoreTransaction, _ now: Date
    ) throws -> Int {
        guard let entry = try JournalTable.entry(id, in: store) else { return mutation.baseVersion ?? 0 }
        if let base = mutation.baseVersion, entry.version != base { throw SyncConflictError() }
        return try JournalTable.delete(entry, at: now, in: store)
    }

    private static func decode<Value: Decodable>(_ fields: [String: JSONValue]) throws -> Value {
        do { return try JSONValue.object(fields).decode(Value.self) } catch {
            guard let failure = error as? WireJSON.Failure else { throw error }
            throw refusal("fields.\(failure.path)", "must be \(failure.expected)")
        }
    }

    private static func refusal(_ field: String, _ message: String) -> ServiceError {
        ServiceError.validation([FieldError(field: field, message: message)])
    }
}
