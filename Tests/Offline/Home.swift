import FoundationEssentials
import GRDB
import Logging
import StrataDomain
import StrataTesting

@testable import StrataOffline

/// The row of these tests.
struct NoteRow: OfflineRow, Equatable {
    static let collectionName = "notes"
    static let databaseTableName = "note"
    static let migrations = [
        OfflineMigration(
            "1",
            """
            CREATE TABLE note (
                id TEXT PRIMARY KEY, text TEXT NOT NULL, mark TEXT, version INTEGER NOT NULL, updated_at INTEGER NOT NULL)
            """)
    ]

    var id: String
    var text: String
    var mark: String?
    var version: Int
    var updatedAt: Date

    enum CodingKeys: String, CodingKey {
        case id, text, mark, version
        case updatedAt = "updated_at"
    }

    init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        text = try fields.string("text")
        mark = try fields.optionalString("mark")
        version = stamp.version
        updatedAt = stamp.updatedAt
    }
}

/// One device: database, store, link and engine, with a clock and randomness of its own.
final class Home: Sendable {
    static let quiet = Logger.silent

    let directory: TemporaryDirectory
    let database: OfflineDatabase
    let store: OfflineStore
    let link: FakeLink
    let engine: SyncEngine
    let wallClock: ManualWallClock
    let clock: ManualClock

    init(
        _ server: FakeSyncServer, seed: UInt64 = 1, in directory: TemporaryDirectory? = nil, pageSize: Int = 500,
        batchSize: Int = 200
    ) async throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        wallClock = ManualWallClock()
        clock = ManualClock()
        database = try await OfflineDatabase.open(
            at: "\(directory.path)/state/journal.sqlite", collections: [NoteRow.collection],
            wallClock: wallClock, log: Self.quiet)
        let random = RandomSource(SeededRandom(seed: seed))
        store = OfflineStore(database: database, wallClock: wallClock, random: random)
        link = FakeLink(server)
        engine = SyncEngine(
            database: database, client: link, settings: .init(pageSize: pageSize, batchSize: batchSize), clock: clock,
            wallClock: wallClock, random: random, log: Self.quiet)
    }

    func notes() async throws -> [NoteRow] { try await store.read { try NoteRow.order(Column("id")).fetchAll($0) } }
    func note(_ id: String) async throws -> NoteRow? { try await store.read { try NoteRow.fetchOne($0, key: id) } }
    func create(_ id: String, _ text: String) async throws {
        try await store.create("notes", id, ["text": .string(text)])
    }
    func patch(_ id: String, _ fields: [String: JSONValue]) async throws { try await store.patch("notes", id, fields) }
    func delete(_ id: String) async throws { try await store.delete("notes", id) }
    @discardableResult
    func sync() async throws -> SyncReport { try await engine.sync() }

    /// The content of all rows, as the server would show it.
    func content() async throws -> [String: [String: JSONValue]] {
        var content: [String: [String: JSONValue]] = [:]
        for note in try await notes() {
            content[note.id] = ["text": .string(note.text)]
            if let mark = note.mark { content[note.id]?["mark"] = .string(mark) }
        }
        return content
    }
}

extension SyncReport {
    init(pushed: Int = 0, pulled: Int = 0, merged: Int = 0, conflicts: Int = 0, rejected: Int = 0) {
        self.init()
        self.pushed = pushed
        self.pulled = pulled
        self.merged = merged
        self.conflicts = conflicts
        self.rejected = rejected
    }
}
