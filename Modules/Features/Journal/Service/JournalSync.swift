import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataService

/// The synchronised collection of journal entries.
struct JournalSync: SyncedCollection {
    let table: JournalTable

    var name: String { table.entries.name }
    var fields: Set<String>? { table.entries.fields }

    func rows(_ ids: [String], in store: any StoreReader) throws -> [String: [String: JSONValue]] {
        try table.entries.rows(ids, in: store)
    }

    func snapshot(_ piece: SnapshotRange, in store: any StoreReader) throws -> SnapshotLines {
        try table.entries.snapshot(piece, in: store)
    }

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
        case .patch: try patch(id, mutation, by: principal, in: transaction, now)
        case .delete: try delete(id, mutation, in: transaction, now)
        }
    }

    private func create(
        _ id: JournalEntry.ID, _ mutation: Mutation, by principal: Principal, in store: any StoreTransaction,
        _ now: Date
    ) throws -> Int {
        var sent = try Self.fields { try SentEntry(mutation.fields, time: mutation.at, in: table.entries) }
        guard sent.id == nil || sent.id == id else {
            throw Self.refusal("fields.id", "must be the entity_id or be left out")
        }
        guard sent.host != nil else { throw Self.refusal("fields.host", "must be a string") }
        sent.id = id
        sent.hasTime = true
        return try table.create(table.newEntry(sent, by: principal, at: now), at: now, in: store).version
    }

    private func patch(
        _ id: JournalEntry.ID, _ mutation: Mutation, by principal: Principal, in store: any StoreTransaction,
        _ now: Date
    ) throws -> Int {
        guard let base = mutation.baseVersion else { throw Self.refusal("base_version", "must be given for a patch") }
        // The row was deleted after the writer read it, so the user must resolve the conflict.
        guard let entry = try table.entries.entityIfAny(id, in: store), entry.version == base else {
            throw SyncConflictError()
        }
        return try Self.fields {
            try table.patch(entry, with: mutation.fields, by: principal, at: now, in: store)
        }.version
    }

    /// A delete of a missing row succeeds.
    private func delete(
        _ id: JournalEntry.ID, _ mutation: Mutation, in store: any StoreTransaction, _ now: Date
    ) throws -> Int {
        guard let entry = try table.entries.entityIfAny(id, in: store) else { return mutation.baseVersion ?? 0 }
        if let base = mutation.baseVersion, entry.version != base { throw SyncConflictError() }
        return try table.entries.remove(entry, at: now, in: store)
    }

    private static func fields<Value>(_ read: () throws -> Value) throws -> Value {
        do { return try read() } catch let failure as WireJSON.Failure {
            throw refusal("fields.\(failure.path)", "must be \(failure.expected)")
        }
    }

    private static func refusal(_ field: String, _ message: String) -> ServiceError {
        ServiceError.validation([FieldError(field: field, message: message)])
    }
}
