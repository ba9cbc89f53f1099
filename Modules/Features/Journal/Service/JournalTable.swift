import FoundationEssentials
import JournalAPI
import JournalDomain
import StrataDomain
import StrataService

/// The table of journal entries. REST and synchronisation write with the same functions.
struct JournalTable {
    let entries = EntityTable<JournalEntry>("journal_entry")
    private static let fieldNames = Set(JournalEntry.fields.map(\.name))

    /// An entry that is ready to be stored.
    struct NewEntry: Sendable {
        let entity: NewEntity<JournalEntry>
        /// Whether the sender chose the id.
        let mayExist: Bool
        /// Whether the sender chose the time.
        let hasTime: Bool
    }

    var migrations: [StoreMigration] { [Self.creation] + entries.additions + [Self.byHost] }

    private static let creation = StoreMigration(
        "journal-1",
        """
        CREATE TABLE journal_entry (
            id TEXT NOT NULL PRIMARY KEY, host TEXT NOT NULL, severity TEXT NOT NULL, text TEXT NOT NULL,
            occurred_at BIGINT NOT NULL, runbook_id TEXT, version BIGINT NOT NULL, updated_at BIGINT NOT NULL)
        """,
        "CREATE INDEX journal_entry_by_time ON journal_entry (occurred_at, id)"
    )

    /// Without it, a page of one host among hundreds reads the entries of all.
    private static let byHost = StoreMigration(
        "journal-2-by-host", "CREATE INDEX journal_entry_by_host ON journal_entry (host, occurred_at, id)")

    /// A page of the list, newest first (`occurred_at`, then id).
    ///
    /// - Throws: 400 for a cursor of another list, 422 for a filter or limit out of range.
    func page(
        _ call: ListJournalEntries, in store: any StoreReader
    ) throws -> EncodedJSON<CursorPage<Stored<JournalEntry>>> {
        let limit = try PageLimit.checked(call.limit, in: 1...500, default: 50)
        var conditions: [Statement] = []
        if let since = call.since { conditions.append("occurred_at >= \(since)") }
        if let host = call.filters["host"]?.string { try Self.check(host: host, "The filter was not accepted.") }
        _ = try ServiceError.accepting(EntityQuery<JournalEntry>(search: call.q).validated)
        if let cursor = call.cursor { conditions.append(try Self.after(cursor)) }
        return try entries.page(
            of: "journal", filters: call.filters, search: call.q, where: conditions,
            order: "occurred_at DESC, id DESC", limit: limit, in: store
        ) { KeysetCursor(RFC3339.string(from: try $0.date("occurred_at")), try $0.text("id")) }
    }

    private static func after(_ text: String) throws -> Statement {
        let cursor = try KeysetCursor(text, for: "journal", count: 2)
        guard let occurredAt = RFC3339.date(from: cursor.values[0]) else { throw KeysetCursor.invalid }
        return "(occurred_at, id) < (\(occurredAt), \(cursor.values[1]))"
    }

    /// An entry that keeps every rule. It needs no transaction.
    ///
    /// - Throws: 422 naming each field; 403 for a host and an entry about another host.
    func newEntry(_ sent: SentEntry, by principal: Principal, at now: Date) throws -> NewEntry {
        var entry = sent.entry
        entry.host = try Self.host(of: sent, by: principal)
        try Self.check(entry, Self.fieldNames, at: now, "The journal entry was not accepted.")
        entry.occurredAt = entry.occurredAt.roundedToMillisecond
        let id = sent.id ?? JournalEntry.ID(UUIDv7.string(at: now))
        return NewEntry(
            entity: entries.newEntity(entry, as: id, by: principal), mayExist: sent.id != nil, hasTime: sent.hasTime)
    }

    /// The new entry; for an id that exists with the same content, that entry.
    ///
    /// - Throws: 409 `id_taken` when the id has other content.
    func create(_ new: NewEntry, at now: Date, in store: any StoreTransaction) throws -> Stored<JournalEntry> {
        let id = new.entity.id
        guard new.mayExist, let known = try entries.entityIfAny(id, in: store) else {
            return try entries.insert(new.entity, at: now, in: store)
        }
        var entry = new.entity.content
        // The time that the server chooses differs on each attempt.
        if !new.hasTime { entry.occurredAt = known.occurredAt }
        guard known.content == entry else {
            throw ServiceError.conflict(
                code: "id_taken", "The id '\(id)' belongs to an entry with other content; use another id.")
        }
        return known
    }

    /// The host of a new entry.
    private static func host(of sent: SentEntry, by principal: Principal) throws -> String {
        switch principal {
        case .user:
            guard let host = sent.host else {
                throw ServiceError.validation([FieldError(field: "host", message: "is missing; send a string")])
            }
            return host
        case .host(_, let name):
            try principal.requireHost(sent.host ?? name)
            do { try check(host: name, "") } catch {
                throw ServiceError.forbidden(
                    "This key is called '\(name)', which is no name of a host, so it can write nothing; ask an "
                        + "administrator for one that is called like its host.")
            }
            return name
        }
    }

    /// `old` with other values in some fields.
    ///
    /// - Throws: `WireJSON.Failure` for a value of another type; 422 naming each field that breaks its rule, or for an edit that
    ///   changes nothing.
    func patch(
        _ old: Stored<JournalEntry>, with changes: [String: JSONValue], by principal: Principal, at now: Date,
        in store: any StoreTransaction
    ) throws -> Stored<JournalEntry> {
        let given = changes.filter { Self.fieldNames.contains($0.key) && $0.value != .null }
        let entry = try entries.content(of: old.content.wireFields().merging(given) { _, new in new })
        try Self.check(entry, given.keys, at: now, "The edit was not accepted.")
        guard !given.isEmpty else {
            try ServiceError.accepting { () throws(DomainError) in
                throw .validation("The edit changes nothing; give at least one field.")
            }
            return old
        }
        return try entries.replace(old, with: entry, by: principal, at: now, in: store)
    }

    /// - Throws: 422 naming each of the fields that breaks its rule.
    private static func check(
        _ entry: JournalEntry, _ fields: some Collection<String>, at now: Date, _ sentence: String
    ) throws {
        var check = FieldCheck()
        entry.check(fields, into: &check)
        if fields.contains("occurred_at") {
            JournalEntry.check(occurredAt: entry.occurredAt, at: now, into: &check)
        }
        try ServiceError.accepting { () throws(DomainError) in try check.orThrow(sentence) }
    }

    private static func check(host: String, _ sentence: String) throws {
        try check(JournalEntry(host: host, text: "", occurredAt: .distantPast), ["host"], at: .distantPast, sentence)
    }
}
