import FoundationEssentials
import GRDB
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// Rows in the tables of the engine that another program changed to what no version of the engine writes.
@Suite struct `A damaged entry of the outbox` {
    let server = FakeSyncServer()

    static let faults = [
        "UPDATE outbox SET state = 'perhaps' WHERE entity_id = 'a'",
        "UPDATE outbox SET operation = 'explode' WHERE entity_id = 'a'",
        "UPDATE outbox SET fields = '{\"text\":' WHERE entity_id = 'a'",
        "UPDATE outbox SET fields = x'FF00' WHERE entity_id = 'a'",
        "UPDATE outbox SET at = 'noon' WHERE entity_id = 'a'",
        "UPDATE outbox SET attempts = 'many' WHERE entity_id = 'a'",
        "UPDATE outbox SET base_version = 'one' WHERE entity_id = 'a'",
        "INSERT INTO deferred_row VALUES ('notes', 'a', 3, 0, '{')",
        "INSERT INTO conflict VALUES ('c1', 'notes', 'a', 3, 0, '{}', '[', 'why', 0)",
        "INSERT INTO conflict VALUES ('c1', 'notes', 'a', 3, 0, '{', '[]', 'why', 0)",
    ]

    /// Notes `a` and `b` at the server, both edited here.
    private func home(with fault: String) async throws -> Home {
        let home = try await Home(server)
        for id in ["a", "b"] { server.put("notes", id, ["text": "theirs"]) }
        try await home.sync()
        for id in ["a", "b"] { try await home.patch(id, ["text": "mine"]) }
        try await home.database.write { try $0.execute(sql: fault) }
        return home
    }

    /// A newer row of the server takes the place of a damaged deferred one.
    @Test(arguments: faults.filter { !$0.contains("deferred_row") })
    func `the others are sent and fetched, and it is told`(fault: String) async throws {
        let home = try await home(with: fault)
        server.put("notes", "c", ["text": "new"])
        server.put("notes", "a", ["mark": "changed meanwhile"])
        _ = try await home.sync()
        #expect(server.live("notes")["b"] == ["text": "mine"])
        #expect(try await home.note("c")?.text == "new")
        #expect(server.live("notes")["a"]?["text"] == "theirs", "Nothing damaged was sent.")
        let entry = try #require(try await home.store.entries().first)
        #expect(entry.mutation.entityId == "a")
        let error = await #expect(throws: DomainError.self) { try await home.database.check() }
        guard case .storage(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("damaged") && text.contains("Discard it"))
    }

    @Test(arguments: faults)
    func `a discard takes it away, and the row is the server's again`(fault: String) async throws {
        let home = try await home(with: fault)
        _ = try await home.sync()
        server.put("notes", "a", ["text": "newer"])
        _ = try await home.sync()
        for entry in try await home.store.entries() { try await home.store.discard(entry.id) }
        try await home.database.check()
        _ = try await home.sync()
        #expect(try await home.content() == server.live("notes"))
        #expect(try await home.note("a")?.text == "newer")
        #expect(try await home.store.entries().isEmpty)
        #expect(try await home.store.conflicts().isEmpty)
    }

    @Test func `a write to its row is refused with the next step, and others are taken`() async throws {
        let home = try await home(with: Self.faults[0])
        let error = await #expect(throws: DomainError.self) { try await home.patch("a", ["text": "again"]) }
        #expect(error?.description.contains("Discard it") == true)
        try await home.patch("b", ["text": "again"])
        #expect(try await home.store.entries().first?.state == .rejected)
    }

    @Test(arguments: [Int.max, Int.max - 1, Int.max / 2 + 1])
    func `a position without a successor is an error, and reads and syncs go on`(last: Int) async throws {
        let home = try await Home(server)
        try await home.create("a", "one")
        try await home.database.write { try $0.execute(sql: "UPDATE client SET last_seq = ?", arguments: [last]) }
        let error = await #expect(throws: DomainError.self) { try await home.create("b", "two") }
        guard case .storage = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let rows = (0..<3).map { (id: "n\($0)", fields: ["text": .string("x")] as [String: JSONValue]) }
        await #expect(throws: DomainError.self) { try await home.store.createAll("notes", rows) }
        await #expect(throws: DomainError.self) { try await home.database.check() }
        #expect(try await home.sync().pushed == 1)
        #expect(try await home.notes().map(\.id) == ["a"])
    }
}

/// Rows of the server whose fields this version of the program does not know.
@Suite struct `A row that cannot be shown` {
    let server = FakeSyncServer()

    @Test func `it is counted until the server puts it right, also without a new version`() async throws {
        let home = try await Home(server)
        server.put("notes", "a", ["text": .integer(7)])
        server.put("notes", "b", ["text": "well"])
        try await home.sync()
        #expect(try await home.notes().map(\.id) == ["b"])
        #expect(try await home.engine.status().hidden == 1)
        try await home.sync()
        #expect(try await home.engine.status().hidden == 1)
        server.with { $0.rows[.init(collection: "notes", id: "a")]?.data = ["text": "right"] }
        try await home.sync()
        #expect(try await home.content() == server.live("notes"))
        #expect(try await home.engine.status().hidden == 0)
    }

    @Test(arguments: [true, false])
    func `it is counted no more once it is changed or deleted`(isDeleted: Bool) async throws {
        let home = try await Home(server)
        server.put("notes", "a", ["text": "well"])
        try await home.sync()
        server.put("notes", "a", ["text": .integer(7)])
        try await home.sync()
        #expect(try await home.engine.status().hidden == 1)
        #expect(try await home.note("a")?.text == "well", "It is shown as it last could be.")
        if isDeleted { server.remove("notes", "a") } else { server.put("notes", "a", ["text": "right"]) }
        try await home.sync()
        #expect(try await home.engine.status().hidden == 0)
        #expect(try await home.content() == server.live("notes"))
    }

    @Test func `a version of the program that can read it shows it after the next sync`() async throws {
        let home = try await Home(server)
        for id in ["a", "b/c"] { server.put("notes", id, ["text": .integer(7)]) }
        try await home.sync()
        #expect(try await home.engine.status().hidden == 2)
        try await home.database.close()
        let newer = try await OfflineDatabase.open(
            at: home.database.path, collections: [NewerNoteRow.collection], log: Home.quiet)
        // Whole comparisons are left out, as in a large store.
        let engine = SyncEngine(
            database: newer, client: home.link, settings: .init(verifiedRows: 0), wallClock: home.wallClock,
            log: Home.quiet)
        _ = try await engine.sync()
        #expect(try await engine.status().hidden == 0)
        #expect(try await newer.read { try NewerNoteRow.fetchAll($0).map(\.text) } == ["7", "7"])
    }

    @Test func `many of them do not make a run fetch more than a few again`() async throws {
        let home = try await Home(server)
        for number in 0..<200 { server.put("notes", "n\(number)", ["text": .integer(number)]) }
        try await home.sync()
        #expect(try await home.engine.status().hidden == 200)
        let before = home.link.streams
        try await home.sync()
        #expect(home.link.streams - before <= 4)
    }
}

/// A later version of `NoteRow`: its text may be a number, too.
private struct NewerNoteRow: OfflineRow {
    static let collectionName = NoteRow.collectionName
    static let databaseTableName = NoteRow.databaseTableName
    static let migrations = NoteRow.migrations

    var id: String
    var text: String
    var version: Int
    var updatedAt: Date

    enum CodingKeys: String, CodingKey {
        case id, text, version
        case updatedAt = "updated_at"
    }

    init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        do { text = try fields.string("text") } catch { text = "7" }
        version = stamp.version
        updatedAt = stamp.updatedAt
    }
}
