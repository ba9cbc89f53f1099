import FoundationEssentials
import JournalDomain
import JournalService
import Logging
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataTesting
import Testing

/// The offline journal of several devices against the real backend, over its real routes and its real database.
@Suite struct `Devices sharing a journal` {
    /// A device of one user.
    private final class Device: Sendable {
        let store: OfflineStore
        let journal: OfflineEntityRepository<JournalEntry>
        private let engine: SyncEngine
        private let directory: TemporaryDirectory

        init(_ client: any APIClient) async throws {
            directory = try TemporaryDirectory()
            let log = Logger.silent
            let database = try await OfflineDatabase.open(
                at: directory.file("journal.sqlite"), collections: [OfflineEntityRepository<JournalEntry>.collection],
                log: log)
            store = OfflineStore(database: database)
            journal = .local(store)
            engine = SyncEngine(database: database, client: client, settings: .init(pageSize: 7), log: log)
        }

        @discardableResult
        func sync() async throws -> SyncReport { try await engine.sync() }
        func add(_ text: String, id: String? = nil, runbook: String? = nil) async throws -> JournalEntry.ID {
            let entry = JournalEntry(host: "web1", text: text, occurredAt: .newYear, runbookId: runbook)
            return try #require(try await journal.createAll([entry.draft(id)]).first)
        }
        func entries() async throws -> [Stored<JournalEntry>] { try await journal.list(.cacheFirst).value }
        func entry(_ id: JournalEntry.ID) async throws -> Stored<JournalEntry> {
            try await journal.get(id, .cacheFirst).value
        }
    }

    @Test func `one device reads each row that another wrote`() async throws {
        try await withBackend(JournalService()) { backend in
            let (one, two) = (try await Device(backend.client()), try await Device(backend.client()))
            for number in 0..<20 { _ = try await one.add("line \(number)", runbook: number % 2 == 0 ? "rb" : nil) }
            #expect(try await one.sync().pushed == 20)
            #expect(try await two.sync().pulled == 20)
            let entry = try #require(try await two.entries().first)
            try await two.journal.update(entry.id, ["severity": Severity.critical.fieldValue])
            try await two.journal.delete(try #require(try await two.entries().last).id, basedOn: 0)
            try await two.sync()
            try await one.sync()
            #expect(try await one.entries() == two.entries())
            #expect(try await one.entries().count == 19)
            #expect(try await one.sync() == SyncReport())
            #expect(try await one.entries().allSatisfy { $0.syncState == .synced })
        }
    }

    @Test func `edits of different fields merge, of one field wait for a person`() async throws {
        try await withBackend(JournalService()) { backend in
            let (one, two) = (try await Device(backend.client()), try await Device(backend.client()))
            let id = try await one.add("disk full")
            try await one.sync()
            try await two.sync()
            try await one.journal.update(id, ["severity": Severity.warning.fieldValue])
            try await two.journal.update(id, ["host": .string("web2")])
            try await one.sync()
            #expect(try await two.sync() == SyncReport(pushing: 1, merging: 1))
            try await one.sync()
            #expect(try await one.entries() == two.entries())
            try await one.journal.update(id, ["text": .string("one says")])
            try await two.journal.update(id, ["text": .string("two says")])
            try await one.sync()
            #expect(try await two.sync().conflicts == 1)
            let conflict = try #require(try await two.store.conflicts().first)
            #expect(conflict.fields == ["text"])
            #expect(try await two.entry(id).syncState == .conflicted)
            try await two.store.resolve(conflict.id, keeping: .local)
            try await two.sync()
            try await one.sync()
            #expect(try await one.entry(id).text == "two says")
            #expect(try await one.entries() == two.entries())
        }
    }

    @Test(arguments: SyncConflict.Side.allCases)
    func `an entry edited here and deleted there comes back only if a person says so`(side: SyncConflict.Side)
        async throws
    {
        try await withBackend(JournalService()) { backend in
            let (one, two) = (try await Device(backend.client()), try await Device(backend.client()))
            let id = try await one.add("disk full", runbook: "rb")
            try await one.sync()
            try await two.sync()
            try await one.journal.delete(id, basedOn: 0)
            try await two.journal.update(id, ["text": .string("still full")])
            try await one.sync()
            #expect(try await two.sync().conflicts == 1)
            try await two.store.resolve(try #require(try await two.store.conflicts().first).id, keeping: side)
            try await two.sync()
            try await one.sync()
            #expect(try await one.entries().map(\.text) == (side == .local ? ["still full"] : []))
            #expect(try await one.entries() == two.entries())
        }
    }

    @Test func `two different lines with one id are a conflict, two equal lines are none`() async throws {
        try await withBackend(JournalService()) { backend in
            let (one, two) = (try await Device(backend.client()), try await Device(backend.client()))
            _ = try await one.add("equal", id: "same")
            _ = try await two.add("equal", id: "same")
            _ = try await one.add("mine", id: "other")
            _ = try await two.add("theirs", id: "other")
            try await one.sync()
            try await two.sync()
            let conflict = try #require(try await two.store.conflicts().first)
            #expect(conflict.entityId == "other" && conflict.fields == ["text"])
            try await two.store.resolve(conflict.id, keeping: .local)
            try await two.sync()
            try await one.sync()
            #expect(Set(try await one.entries().map(\.text)) == ["equal", "theirs"])
            #expect(try await one.entries() == two.entries())
        }
    }

    @Test func `a deleted line can be imported again`() async throws {
        try await withBackend(JournalService()) { backend in
            let one = try await Device(backend.client())
            let id = try await one.add("line", id: "named-by-content")
            try await one.sync()
            try await one.journal.delete(id, basedOn: 0)
            try await one.sync()
            _ = try await one.add("line", id: "named-by-content")
            #expect(try await one.sync().pushed == 1)
            #expect(try await one.entry(id).syncState == .synced)
        }
    }

    @Test func `a refused line waits with its reason and goes once it is corrected`() async throws {
        try await withBackend(JournalService()) { backend in
            let one = try await Device(backend.client())
            try await one.store.create(
                JournalEntry.collection, "bad",
                [
                    "host": .string("two words"), "severity": .string("info"), "text": .string("x"),
                    "occurred_at": .string("2026-01-01T10:00:00.000Z"),
                ])
            _ = try await one.add("good")
            let report = try await one.sync()
            #expect(report.pushed == 1 && report.rejected == 1)
            #expect(try await one.store.entries().first?.error?.contains("host") == true)
            try await one.journal.update(JournalEntry.ID("bad"), ["host": .string("web1")])
            #expect(try await one.sync().pushed == 1)
        }
    }

    @Test func `a lost answer loses no entry and doubles none`() async throws {
        try await withBackend(JournalService()) { backend in
            let one = try await Device(backend.client { FaultyTransport($0, losingAnswers: 2) })
            for number in 0..<30 {
                _ = try await one.add("line \(number)")
                _ = try? await one.sync()
            }
            for _ in 0..<5 { _ = try? await one.sync() }
            let two = try await Device(backend.client())
            try await two.sync()
            #expect(try await two.entries().count == 30)
            #expect(try await one.store.entries() == [])
            try await one.sync()
            #expect(try await one.entries() == two.entries())
        }
    }
}

extension SyncReport {
    fileprivate init(pushing: Int, merging: Int) {
        self.init()
        (pushed, merged) = (pushing, merging)
    }
}
