import FoundationEssentials
import GRDB
import JournalDomain
import Logging
import StrataDomain
import StrataOffline
import StrataTesting
import Testing

@testable import JournalData

@Suite struct `The journal on this machine` {
    private let directory: TemporaryDirectory
    private let wallClock = ManualWallClock()

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ name: String = "journal") async throws -> (OfflineStore, OfflineJournalRepository) {
        let database = try await OfflineDatabase.open(
            at: directory.file("\(name).sqlite"), collections: [EntityRow<JournalEntry>.collection],
            log: .silent)
        let store = OfflineStore(database: database, wallClock: wallClock)
        return (store, OfflineJournalRepository(store, wallClock: wallClock))
    }

    private func draft(_ text: String, id: String? = nil, runbook: String? = nil) -> JournalDraft {
        JournalDraft(
            id: id.map { JournalEntry.ID($0) }, host: "web1", severity: .warning, text: text,
            occurredAt: Date(timeIntervalSince1970: 1_795_251_600.2504), runbookId: runbook)
    }

    @Test func `the offline journal keeps the promises of the port`() async throws {
        try await JournalRepositoryContract { try await open(UUID().uuidString).1 }.check()
    }

    @Test func `an added entry is stored as it is sent, to the millisecond`() async throws {
        let (_, journal) = try await open()
        for draft in [draft("one", runbook: "rb"), draft("two")] {
            let id = try #require(try await journal.create([draft]).first)
            let entry = try await journal.get(id, .cacheFirst).value
            #expect(entry.occurredAt == Date(timeIntervalSince1970: 1_795_251_600.25))
            #expect(try entry.content.wireFields() == draft.entry.wireFields())
        }
    }

    @Test func `a create is queued as the server reads it`() async throws {
        let (store, journal) = try await open()
        for draft in [draft("one", runbook: "rb"), draft("two")] {
            let id = try #require(try await journal.create([draft]).first)
            let mutation = try #require(try await store.entries().last).mutation
            #expect(mutation.collection == "journal_entries" && mutation.entityId == id.rawValue)
            #expect(JSONValue.object(mutation.fields) == (try JSONValue(encoding: draft.entry)))
        }
    }

    @Test func `the first of two drafts with one id is stored`() async throws {
        let (_, journal) = try await open()
        let added = try await journal.create([draft("first", id: "same"), draft("second", id: "same")])
        #expect(added.map(\.rawValue) == ["same"])
        #expect(try await journal.entries(JournalFilter()).map(\.text) == ["first"])
    }

    @Test func `a long journal goes by entry by entry, each with its state`() async throws {
        let (_, journal) = try await open()
        _ = try await journal.create((0..<1_203).map { draft("line \($0)", id: "e\($0)") })
        let counts = try await journal.reduce(JournalFilter(), into: [SyncState: Int]()) {
            $0[$1.syncState, default: 0] += 1
        }
        #expect(counts == [.queued: 1_203])
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

    @Test func `the state of every entry is told, alone and in a list`() async throws {
        let server = MockAPIClient()
        server.on(PushMutations.self) { push, _ in
            MutationResults(
                results: push.batch.mutations.enumerated().map { index, mutation in
                    mutation.entityId == "bad"
                        ? MutationResult(id: mutation.id, status: .rejected, error: Problem(title: "No", status: 422))
                        : MutationResult(id: mutation.id, status: .applied, version: index + 1)
                })
        }
        server.on(PullChanges.self) { _, _ in
            ChangesPage(changes: [], cursor: "c", hasMore: false, isReplacement: false)
        }
        server.fail(FetchSnapshot.self, .notFound(nil))
        let (store, journal) = try await open()
        _ = try await journal.create([draft("x", id: "good"), draft("x", id: "bad")])
        _ = try await SyncEngine(database: store.database, client: server).sync()
        _ = try await journal.create([draft("x", id: "new")])
        let states = try await journal.entries(JournalFilter()).map { ["\($0.id)", $0.syncState.rawValue] }
        #expect(Set(states) == [["good", "synced"], ["bad", "rejected"], ["new", "queued"]])
        #expect(try await journal.entries(JournalFilter(limit: 3)).count == 3)
        #expect(try await journal.get(JournalEntry.ID("good"), .cacheFirst).value.syncState == .synced)
        #expect(try await journal.get(JournalEntry.ID("bad"), .cacheFirst).value.syncState == .rejected)
    }

    @Test func `an odd limit or filter returns nothing rather than failing`() async throws {
        let (_, journal) = try await open()
        _ = try await journal.create([draft("x")])
        for filter in [
            JournalFilter(limit: 0), JournalFilter(limit: -1), JournalFilter(host: "' OR 1=1 --"),
            JournalFilter(since: .distantFuture),
        ] {
            #expect(try await journal.entries(filter).isEmpty)
        }
        #expect(try await journal.entries(JournalFilter(since: .distantPast)).count == 1)
    }

    @Test func `an unknown id is named with the next step`() async throws {
        let (_, journal) = try await open()
        do {
            try await journal.delete(JournalEntry.ID("nowhere"), basedOn: 0)
            Issue.record("nothing was thrown")
        } catch {
            #expect("\(error)".contains("'nowhere'") && "\(error)".contains("journal list"))
        }
    }

    @Test func `a name is the start of the SHA-256 as a UUID of version 8`() {
        // The digest of "abc" is ba7816bf 8f01cfea 414140de 5dae2223 … (FIPS 180-4); version and variant replace six bits.
        #expect(DigestLineIdentity().id(for: Array("abc".utf8)) == "ba7816bf-8f01-8fea-8141-40de5dae2223")
        #expect(DigestLineIdentity().id(for: Array("abd".utf8)) != "ba7816bf-8f01-8fea-8141-40de5dae2223")
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
            journal, identity: DigestLineIdentity(), clock: ManualWallClock(.newYear), timeZone: .gmt)
        _ = try await importLog(stream, as: .lines, host: "web1")
        let ids = try await journal.entries(JournalFilter()).map(\.id.rawValue)
        #expect(
            Set(ids) == [
                "17c8b840-d742-88be-9217-01dbe69e019a", "a705422e-1d54-8389-8092-63857bd8ef3b",
                "c064ab8e-e7b3-8b97-b84c-13f6b0d7aadc", "d38008fe-a165-85f3-8b65-8af8b6423af5",
            ])
    }
}
