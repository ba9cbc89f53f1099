import FoundationEssentials
import GRDB
import JournalDomain
import Logging
import StrataDomain
import StrataFeatureTesting
import StrataOffline
import StrataTesting

/// The journal of a client in a database file; its ids and times are the same in every run.
struct RecordedDevice {
    let store: OfflineStore
    let repository: OfflineEntityRepository<JournalEntry>
    let engine: SyncEngine?
    var journal: Journal {
        let importLog = ImportLog(identity: ContentName.uuid(of:)) { [repository] drafts throws(DomainError) in
            try await repository.createAll(drafts)
        }
        return Journal(EntityUseCases(repository), importLog: importLog, clock: ManualWallClock(.noon))
    }

    init(_ path: String, client: (any APIClient)? = nil, seed: UInt64 = 1) async throws {
        let database = try await OfflineDatabase.open(
            at: path, collections: [EntityRow<JournalEntry>.collection], log: .silent)
        let (clock, random) = (ManualWallClock(), RandomSource(SeededRandom(seed: seed)))
        store = OfflineStore(database: database, wallClock: clock, random: random)
        repository = .local(store, clock, random: random)
        engine = client.map {
            SyncEngine(database: database, client: $0, wallClock: clock, random: random, log: .silent)
        }
    }

    /// Fills the database at `path` with an entry in each state.
    static func fill(_ path: String, and other: String, with backend: InProcessBackend) async throws {
        let one = try await RecordedDevice(path, client: backend.client())
        let two = try await RecordedDevice(other, client: backend.client(as: "bob"), seed: 2)
        _ = try await one.repository.createAll(
            [
                draft("e1", "disk \"/\" full 🚒\n\tsecond line", .warning, runbook: "rb-1"),
                draft("e2", "Removed", .critical), draft("e3", "Base", .info), draft("e4", "Edited", .critical),
            ])
        _ = try await one.engine?.sync()
        _ = try await two.engine?.sync()
        try await two.repository.update(JournalEntry.ID("e3"), ["text": .string("Theirs")])
        _ = try await two.engine?.sync()
        try await one.repository.update(JournalEntry.ID("e3"), ["text": .string("Ours")])
        try await one.store.create(
            JournalEntry.collection, "bad",
            [
                "host": .string("two words"), "severity": .string("info"), "text": .string("Refused"),
                "occurred_at": .string("2026-11-21T08:30:00.000Z"),
            ])
        _ = try await one.engine?.sync()
        _ = try await one.repository.createAll([draft("queued", "Waits", .warning)])
        try await one.repository.update(
            JournalEntry.ID("e4"),
            ["host": .string("web2"), "severity": Severity.info.fieldValue, "runbook_id": .string("rb-2")])
        try await one.repository.delete(JournalEntry.ID("e2"), basedOn: 0)
        try await one.store.database.close()
        try await two.store.database.close()
    }

    private static func draft(
        _ id: String, _ text: String, _ severity: Severity, runbook: String? = nil
    ) throws -> EntityDraft<JournalEntry> {
        try JournalEntry(
            host: "web1", severity: severity, text: text, occurredAt: Date.noon.addingTimeInterval(-3600.7504),
            runbookId: runbook
        ).draft(id)
    }

    /// What the database at `path` holds, without the times and names of this run.
    static func content(_ path: String) throws -> String {
        try DatabaseQueue(path: path).read { db in
            try [
                "SELECT name || ' ' || type || ' ' || \"notnull\" || ' ' || pk FROM pragma_table_info('journal_entries') WHERE name <> 'author'",
                "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'journal_entries' AND sql IS NOT NULL",
                """
                SELECT id || ' ' || host || ' ' || severity || ' ' || text || ' ' || occurred_at || ' '
                    || coalesce(runbook_id, '-') || ' ' || version || ' ' || updated_at FROM journal_entries ORDER BY id
                """,
                """
                SELECT client_seq || ' ' || collection || ' ' || entity_id || ' ' || operation || ' '
                    || coalesce(base_version, '-') || ' ' || fields || ' ' || state || ' ' || coalesce(error, '-')
                FROM outbox ORDER BY client_seq
                """,
                "SELECT collection || ' ' || entity_id || ' ' || version || ' ' || data FROM base_row ORDER BY entity_id",
                "SELECT entity_id || ' ' || version || ' ' || data || ' ' || fields || ' ' || reason FROM conflict",
            ].flatMap { try String.fetchAll(db, sql: $0) }.joined(separator: "\n") + "\n"
        }
    }
}
