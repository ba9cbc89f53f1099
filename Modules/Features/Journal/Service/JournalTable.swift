import FoundationEssentials
import JournalAPI
import JournalDomain
import StrataDomain
import StrataService

/// The table of journal entries. REST and synchronisation write with the same functions.
enum JournalTable {
    static let migration = StoreMigration(
        "journal-1",
        """
        CREATE TABLE journal_entry (
            id TEXT NOT NULL PRIMARY KEY, host TEXT NOT NULL, severity TEXT NOT NULL, text TEXT NOT NULL,
            occurred_at BIGINT NOT NULL, runbook_id TEXT, version BIGINT NOT NULL, updated_at BIGINT NOT NULL)
        """,
        "CREATE INDEX journal_entry_by_time ON journal_entry (occurred_at, id)"
    )

    static let columns: Statement = "id, host, severity, text, occurred_at, runbook_id, version, updated_at"

    static func entry(_ id: JournalEntry.ID, in store: any StoreReader) throws -> JournalEntry? {
        try store.row("SELECT \(columns) FROM journal_entry WHERE id = \(id.rawValue)").map(JournalEntry.init)
    }

    /// - Throws: 404.
    static func require(_ id: JournalEntry.ID, in store: any StoreReader) throws -> JournalEntry {
        guard let entry = try entry(id, in: store) else { throw ServiceError.notFound("journal entry", id.rawValue) }
        return entry
    }

    /// The new entry; for an id that exists with the same content, that entry.
    ///
    /// - Parameter now: The time of the entry if `payload` has none.
    /// - Throws: 422 naming each field; 403 for a host and an entry about another host; 409 `id_taken` when the id has other
    ///   content.
    static func create(
        _ payload: JournalDraftPayload, by principal: Principal, at now: Date, in store: any StoreTransaction
    ) throws -> JournalEntry {
        let host = try host(of: payload, by: principal)
        let draft = try ServiceError.accepting { () throws(DomainError) in
            try payload.draft(host: host, now: now).validated(at: now)
        }
        let id = draft.id ?? JournalEntry.ID(UUIDv7.string(at: now))
        if let known = try entry(id, in: store) {
            guard known.isSame(as: draft, ignoringTime: payload.occurredAt == nil) else {
                throw ServiceError.conflict(
                    code: "id_taken", "The id '\(id)' belongs to an entry with other content; use another id.")
            }
            return known
        }
        let stamp = try record(.put, id, at: now, in: store)
        let entry = JournalEntry(
            id: id, host: draft.host, severity: draft.severity, text: draft.text, occurredAt: draft.occurredAt,
            runbookId: draft.runbookId, version: stamp.version, updatedAt: stamp.at)
        try store.execute(
            """
            INSERT INTO journal_entry (id, host, severity, text, occurred_at, runbook_id, version, updated_at)
            VALUES (\(id.rawValue), \(entry.host), \(entry.severity.rawValue), \(entry.text), \(entry.occurredAt),
                \(entry.runbookId), \(entry.version), \(entry.updatedAt))
            """)
        return entry
    }

    /// The host of a new entry.
    private static func host(of payload: JournalDraftPayload, by principal: Principal) throws -> String {
        switch principal {
        case .user:
            guard let host = payload.host else {
                throw ServiceError.validation([FieldError(field: "host", message: "is missing; send a string")])
            }
            return host
        case .host(_, let name):
            try principal.requireHost(payload.host ?? name)
            var check = FieldCheck()
            JournalRules.check(host: name, into: &check)
            guard check.errors.isEmpty else {
                throw ServiceError.forbidden(
                    "This key is called '\(name)', which is no name of a host, so it can write nothing; ask an "
                        + "administrator for one that is called like its host.")
            }
            return name
        }
    }

    /// `entry` after the edit.
    ///
    /// - Throws: 422 naming each field, or for an edit that changes nothing.
    static func patch(
        _ entry: JournalEntry, with payload: JournalEditPayload, at now: Date, in store: any StoreTransaction
    ) throws -> JournalEntry {
        let edit = try ServiceError.accepting({ () throws(DomainError) in try payload.edit.validated(at: now) })
        var entry = entry
        entry.apply(edit)
        let stamp = try record(.put, entry.id, at: now, in: store)
        (entry.version, entry.updatedAt) = (stamp.version, stamp.at)
        try store.execute(
            """
            UPDATE journal_entry SET host = \(entry.host), severity = \(entry.severity.rawValue), text = \(entry.text),
                occurred_at = \(entry.occurredAt), runbook_id = \(entry.runbookId), version = \(entry.version),
                updated_at = \(entry.updatedAt)
            WHERE id = \(entry.id.rawValue)
            """)
        return entry
    }

    /// Deletes an entry and leaves a tombstone for other devices.
    ///
    /// - Returns: The version of the tombstone.
    static func delete(_ entry: JournalEntry, at now: Date, in store: any StoreTransaction) throws -> Int {
        try store.execute("DELETE FROM journal_entry WHERE id = \(entry.id.rawValue)")
        return try record(.delete, entry.id, at: now, in: store).version
    }

    private static func record(
        _ operation: SyncChange.Operation, _ id: JournalEntry.ID, at now: Date, in store: any StoreTransaction
    ) throws -> ChangeStamp {
        try ChangeLog.stamp(
            operation, collection: JournalEntryPayload.collection, id: id.rawValue, at: now, in: store)
    }
}
