import FoundationEssentials
import GRDB
import StrataDomain
import StrataSystem
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `Synchronising` {
    let server = FakeSyncServer()

    @Test func `a local write is on the server after one run and comes back as no change`() async throws {
        let home = try await Home(server)
        try await home.create("a", "first")
        #expect(try await home.engine.status() == SyncStatus(pending: 1, rejected: 0, conflicts: 0, lastSyncedAt: nil))
        #expect(try await home.sync() == SyncReport(pushed: 1))
        #expect(server.live("notes") == ["a": ["text": "first"]])
        #expect(try await home.note("a")?.version == 1)
        let status = SyncStatus(pending: 0, rejected: 0, conflicts: 0, lastSyncedAt: home.wallClock.now)
        #expect(try await home.engine.status() == status)
        #expect(try await home.sync() == SyncReport())
        #expect(server.with { $0.received.count } == 1, "An empty outbox sends nothing.")
    }

    @Test func `an engine without collections sends no request`() async throws {
        let directory = try TemporaryDirectory()
        let database = try await OfflineDatabase.open(
            at: "\(directory.path)/state/journal.sqlite", collections: [], log: Home.quiet)
        let link = FakeLink(server)
        link.failing(.rateLimited(retryAfter: nil))
        let engine = SyncEngine(database: database, client: link, log: Home.quiet)
        #expect(try await engine.sync() == SyncReport())
    }

    @Test func `two stores converge over creates, edits and deletes`() async throws {
        let (one, two) = (try await Home(server, seed: 1), try await Home(server, seed: 2))
        try await one.create("a", "from one")
        try await two.create("b", "from two")
        try await one.sync()
        try await two.sync()
        try await one.sync()
        #expect(try await one.content() == two.content())
        try await two.patch("a", ["text": "edited by two"])
        try await one.delete("b")
        try await two.sync()
        try await one.sync()
        try await two.sync()
        #expect(try await one.content() == ["a": ["text": "edited by two"]])
        #expect(try await two.content() == one.content())
    }

    @Test func `pages are walked to the end, each with its cursor`() async throws {
        for number in 0..<25 { server.put("notes", "n\(number)", ["text": .string("\(number)")]) }
        let home = try await Home(server, pageSize: 10)
        #expect(try await home.sync() == SyncReport(pulled: 25))
        #expect(server.with { $0.pulls } == [nil, "1/10/25/1", "1/20/25/1"])
        server.put("notes", "n3", ["text": "changed"])
        #expect(try await home.sync() == SyncReport(pulled: 1))
    }

    @Test func `an interrupted round goes on at its last page`() async throws {
        for number in 0..<25 { server.put("notes", "n\(number)", ["text": .string("\(number)")]) }
        let home = try await Home(server, pageSize: 10)
        home.link.onRequest { [server] _, _ in server.with { $0.pulls.count } == 2 ? .refuse(.offline("cut")) : nil }
        await #expect(throws: DomainError.self) { try await home.sync() }
        #expect(try await home.notes().count == 20)
        home.link.healed()
        try await home.sync()
        #expect(try await home.notes().count == 25)
        #expect(server.with { $0.pulls } == [nil, "1/10/25/1", "1/20/25/1"])
    }

    @Test func `a row pushed between two pages of a replacement round survives its end`() async throws {
        for number in 0..<15 { server.put("notes", "n\(number)", ["text": "x"]) }
        let home = try await Home(server, pageSize: 10)
        home.link.onRequest { [server] _, _ in server.with { $0.pulls.count } == 1 ? .refuse(.offline("cut")) : nil }
        await #expect(throws: DomainError.self) { try await home.sync() }
        home.link.healed()
        try await home.create("mine", "written meanwhile")
        try await home.sync()
        #expect(try await home.notes().count == 16)
    }

    @Test func `the server's normalised form of a write is adopted`() async throws {
        server.with { state in
            state.tidy = { data in data.mapValues { .string(($0.string ?? "").uppercased()) } }
        }
        let home = try await Home(server)
        try await home.create("a", "loud")
        #expect(try await home.sync() == SyncReport(pushed: 1))
        #expect(try await home.note("a")?.text == "LOUD")
    }

    @Test func `an edit made while the create is in flight is sent next, at the new version`() async throws {
        let home = try await Home(server)
        try await home.create("a", "one")
        home.link.onAnswer { name in
            if name == "push", (try? await home.note("a"))??.text == "one" {
                try? await home.patch("a", ["text": "two"])
            }
        }
        #expect(try await home.sync() == SyncReport(pushed: 2))
        #expect(server.live("notes") == ["a": ["text": "two"]])
        #expect(try await home.note("a") == (try await home.notes().first))
        #expect(try await home.note("a")?.version == 2)
        #expect(server.with { $0.broken } == [])
    }

    @Test func `a delete made while the create is in flight follows it`() async throws {
        let home = try await Home(server)
        try await home.create("a", "one")
        home.link.onAnswer { name in if name == "push" { try? await home.delete("a") } }
        try await home.sync()
        #expect(server.live("notes") == [:])
        #expect(try await home.notes() == [])
        #expect(try await home.store.entries() == [])
    }

    @Test func `a row created again under its old id arrives`() async throws {
        let home = try await Home(server)
        try await home.create("a", "one")
        try await home.sync()
        try await home.delete("a")
        try await home.create("a", "again")
        try await home.sync()
        #expect(server.live("notes") == ["a": ["text": "again"]])
        #expect(try await home.content() == server.live("notes"))
    }

    @Test func `rows of unknown collections are skipped and fetched once the program knows them`() async throws {
        server.put("photos", "p", ["text": "a later feature"])
        let home = try await Home(server)
        #expect(try await home.sync() == SyncReport())
        try await home.database.close()
        let later = try await OfflineDatabase.open(
            at: home.database.path, collections: [NoteRow.collection, PhotoRow.collection],
            log: Home.quiet)
        let engine = SyncEngine(database: later, client: home.link, log: Home.quiet)
        #expect(try await engine.sync() == SyncReport(pulled: 1))
        #expect(try await later.read { try PhotoRow.fetchCount($0) } == 1)
    }

    @Test func `a remote row that this version cannot read stops nothing`() async throws {
        server.put("notes", "odd", ["text": 7])
        server.put("notes", "fine", ["text": "x"])
        let home = try await Home(server)
        try await home.sync()
        #expect(try await home.notes().map(\.id) == ["fine"])
        server.put("notes", "odd", ["text": "readable now"])
        try await home.sync()
        #expect(try await home.notes().map(\.id) == ["fine", "odd"])
    }

    @Test func `fields this version does not know survive an edit and a merge`() async throws {
        server.put("notes", "a", ["text": "x", "colour": "red"])
        let home = try await Home(server)
        try await home.sync()
        try await home.patch("a", ["text": "y"])
        try await home.sync()
        #expect(server.live("notes") == ["a": ["text": "y", "colour": "red"]])
    }

    @Test func `an endless page without changes ends with an error, not with a loop`() async throws {
        let home = try await Home(server)
        let client = MockAPIClient()
        client.on(PullChanges.self) { _, _ in
            ChangesPage(changes: [], cursor: "same", hasMore: true, isReplacement: false)
        }
        let engine = SyncEngine(database: home.database, client: client, log: Home.quiet)
        await #expect(throws: DomainError.self) { try await engine.sync() }
        #expect(client.calls.count <= 3)
    }

    @Test func `two engines at once take turns and send everything once`() async throws {
        let directory = try TemporaryDirectory()
        let homes = [
            try await Home(server, seed: 1, in: directory), try await Home(server, seed: 2, in: directory),
        ]
        for number in 0..<50 { try await homes[number % 2].create("n\(number)", "x") }
        // The other engine may be slow on a busy machine.
        let patient = SyncEngine.Settings(lockWait: .seconds(300))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for home in homes {
                let engine = SyncEngine(
                    database: home.database, client: home.link, settings: patient, log: Home.quiet)
                group.addTask { _ = try await engine.sync() }
            }
            try await group.waitForAll()
        }
        #expect(server.with { $0.received.flatMap { $0 }.count } == 50)
        #expect(try await homes[0].notes() == homes[1].notes())
    }

    @Test func `an engine gives up after its wait for another engine, without holding a thread`() async throws {
        let home = try await Home(server)
        let lease = try FileLock.attempt("\(home.database.path).sync-lock")
        #expect(lease != nil)
        async let outcome = failure { try await home.sync() }
        for _ in 0..<301 {
            await home.clock.waitForSleeper()
            home.clock.advance(by: .milliseconds(50))
            if home.clock.now.offset >= .seconds(15) { break }
        }
        guard case .busy = await outcome else {
            Issue.record("expected .busy")
            return
        }
        withExtendedLifetime(lease) {}
    }
}

struct PhotoRow: OfflineRow {
    static let collectionName = "photos"
    static let databaseTableName = "photo"
    static let migrations = [OfflineMigration("1", "CREATE TABLE photo (id TEXT PRIMARY KEY, text TEXT)")]
    var id: String
    var text: String?
    init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        text = try fields.optionalString("text")
    }
}

/// The domain error that `work` ends with; `nil` when it succeeds or fails otherwise.
func failure<Value>(_ work: () async throws -> Value) async -> DomainError? {
    do {
        _ = try await work()
        return nil
    } catch { return error as? DomainError }
}
