import FoundationEssentials
import GRDB
import JournalDomain
import StrataDomain
import StrataOffline
import StrataTesting
import Testing

/// What is particular to the journal in the offline store: many rows, and imports.
@Suite struct `The journal on this machine` {
    private let directory: TemporaryDirectory
    private let wallClock = ManualWallClock()

    init() throws { directory = try TemporaryDirectory() }

    private func open() async throws -> (OfflineStore, OfflineEntityRepository<JournalEntry>) {
        let database = try await OfflineDatabase.open(
            at: directory.file("journal.sqlite"), collections: [OfflineEntityRepository<JournalEntry>.collection],
            log: .silent)
        let store = OfflineStore(database: database, wallClock: wallClock)
        return (store, .local(store, wallClock))
    }

    private func draft(_ text: String, id: String? = nil) throws -> EntityDraft<JournalEntry> {
        try JournalEntry(
            host: "web1", severity: .warning, text: text, occurredAt: Date(timeIntervalSince1970: 1_795_251_600.2504)
        ).draft(id)
    }

    @Test func `the first of two drafts with one id is stored, to the millisecond`() async throws {
        let (_, journal) = try await open()
        let added = try await journal.createAll([draft("first", id: "same"), draft("second", id: "same")])
        #expect(added.map(\.rawValue) == ["same"])
        let entries = try await journal.list(.cacheFirst).value
        #expect(entries.map(\.text) == ["first"])
        #expect(entries.map(\.occurredAt) == [Date(timeIntervalSince1970: 1_795_251_600.25)])
        #expect(try await journal.createAll([draft("third", id: "same"), draft("fourth")]).count == 1)
    }

    @Test func `a long journal goes by entry by entry, each with its state`() async throws {
        let (_, journal) = try await open()
        _ = try await journal.createAll((0..<1_203).map { try draft("line \($0)", id: "e\($0)") })
        let counts = try await journal.reduce(EntityQuery(), .cacheFirst, into: [SyncState: Int]()) {
            $0[$1.syncState, default: 0] += 1
        }
        #expect(counts.value == [.queued: 1_203] && counts.origin == .local)
    }

    @Test func `a list follows the index by time, and asks for the states of its own rows`() async throws {
        let (store, _) = try await open()
        let queries = [
            "SELECT * FROM journal_entries ORDER BY occurred_at DESC, id DESC LIMIT 50",
            "SELECT * FROM journal_entries WHERE occurred_at >= 1 ORDER BY occurred_at DESC, id DESC",
            "SELECT entity_id, state FROM outbox WHERE collection = 'journal_entries' AND entity_id IN ('a', 'b')",
        ]
        let plans = try await store.read { db in
            try queries.map { try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \($0)").map { $0["detail"] as String } }
        }
        #expect(
            plans == [
                ["SCAN journal_entries USING INDEX journal_entries_by_occurred_at"],
                ["SEARCH journal_entries USING INDEX journal_entries_by_occurred_at (occurred_at>?)"],
                ["SEARCH outbox USING INDEX outbox_queue (collection=? AND entity_id=?)"],
            ])
    }

    @Test func `a name is the start of the SHA-256 as a UUID of version 8`() {
        // The digest of "abc" is ba7816bf 8f01cfea 414140de 5dae2223 … (FIPS 180-4); version and variant replace six bits.
        #expect(ContentName.uuid(of: Array("abc".utf8)) == "ba7816bf-8f01-8fea-8141-40de5dae2223")
        #expect(ContentName.uuid(of: Array("abd".utf8)) != "ba7816bf-8f01-8fea-8141-40de5dae2223")
    }

    /// With other ids, an update of the program would import every log a second time. Computed with Python's hashlib.
    @Test func `imported lines keep the ids that they were given before`() async throws {
        let (_, journal) = try await open()
        let log = "2026-01-01T10:00:00Z one\r\n2026-01-01T10:00:00Z one\nthree\nfour"
        let stream = AsyncStream<Data> { continuation in
            continuation.yield(Data(log.utf8))
            continuation.finish()
        }
        let importLog = ImportLog(
            identity: ContentName.uuid(of:), clock: ManualWallClock(.newYear), timeZone: .gmt
        ) { drafts throws(DomainError) in try await journal.createAll(drafts) }
        _ = try await importLog(stream, as: .lines, host: "web1")
        let ids = try await journal.list(.cacheFirst).value.map(\.id.rawValue)
        #expect(
            Set(ids) == [
                "17c8b840-d742-88be-9217-01dbe69e019a", "a705422e-1d54-8389-8092-63857bd8ef3b",
                "c064ab8e-e7b3-8b97-b84c-13f6b0d7aadc", "d38008fe-a165-85f3-8b65-8af8b6423af5",
            ])
    }
}
