import FoundationEssentials
import GRDB
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// What a run meets at the limits: of the disk, of the account, of the server's good will.
@Suite struct `At the limits` {
    private let server = FakeSyncServer()

    private func fill(_ count: Int = 40) {
        for number in 0..<count {
            server.put("notes", "n\(1000 + number)", ["text": .string(String(repeating: "x", count: 500))])
        }
    }

    @Test func `a disk that fills up in the middle of a page keeps whole pages, each with its cursor`() async throws {
        fill(200)
        let home = try await Home(server, pageSize: 20)
        try await home.create("mine", "kept")
        func limit(_ extra: Int?) async throws {
            try await home.database.writer.writeWithoutTransaction { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(extra.map { pages + $0 } ?? 1_000_000)")
            }
        }
        try await limit(25)
        let error = await #expect(throws: DomainError.self) { try await home.sync() }
        #expect(error?.description.contains("No space left") == true)
        let kept = try await home.notes().filter { $0.id != "mine" }.count
        #expect(kept > 0 && kept < 200 && kept % 20 == 0)
        #expect(try await home.note("mine")?.text == "kept")
        try await limit(nil)
        try await home.sync()
        #expect(try await home.notes().count == 201)
        #expect(server.with { $0.pulls.filter { $0 == nil }.count } == 1, "It went on where it was.")
    }

    @Test func `a cursor that belongs to another account is replaced, and nothing unsent is lost`() async throws {
        fill()
        let home = try await Home(server)
        try await home.sync()
        server.remove("notes", "n1000")
        try await home.patch("n1001", ["mark": "mine"])
        let pulls = server.with { $0.pulls.count }
        home.link.onRequest { [server] name, _ in
            // The first pull names the cursor; the server says whose it is not.
            guard name == "pull", server.with({ $0.pulls.count }) == pulls else { return nil }
            server.with { $0.pulls.append("refused") }
            return .refuse(.conflict(SyncServerModel.problem(409, SyncCode.scopeChanged)))
        }
        try await home.sync()
        #expect(server.with { $0.pulls.last } == .some(nil), "It started without a cursor.")
        #expect(try await home.notes().count == 39)
        #expect(server.live("notes")["n1001"]?["mark"] == "mine")
    }

    @Test func `a page that cannot be read leaves the ones before it and is asked for again`() async throws {
        fill()
        let home = try await Home(server, pageSize: 10)
        home.link.onRequest { [server] _, _ in
            server.with { $0.pulls.count } == 2 ? .refuse(.invalidResponse("no JSON")) : nil
        }
        await #expect(throws: DomainError.self) { try await home.sync() }
        #expect(try await home.notes().count == 20)
        home.link.healed()
        try await home.sync()
        #expect(try await home.notes().count == 40)
        #expect(server.with { $0.pulls.count } == 4)
    }

    @Test func `rows of unknown collections and fields are kept for a newer program`() async throws {
        server.put("notes", "a", ["text": "one", "colour": "red"])
        server.put("tides", "t", ["height": 3])
        let directory = try TemporaryDirectory()
        let old = try await Home(server, in: directory)
        try await old.sync()
        #expect(try await old.content() == ["a": ["text": "one"]])
        try await old.database.close()
        let database = try await OfflineDatabase.open(
            at: "\(directory.path)/state/journal.sqlite",
            collections: [ColouredNoteRow.collection, TideRow.collection],
            log: Home.quiet)
        let colour = try await database.read { try String.fetchOne($0, sql: "SELECT colour FROM note WHERE id = 'a'") }
        #expect(colour == "red", "It came with the old program, and is shown without asking the server.")
        let engine = SyncEngine(
            database: database, client: old.link, settings: .init(verifiedRows: 0), log: Home.quiet)
        _ = try await engine.sync()
        #expect(try await database.read { try Int.fetchOne($0, sql: "SELECT height FROM tide WHERE id = 't'") } == 3)
    }

    @Test func `every request names the collections that are kept here`() async throws {
        let home = try await CardHome(server)
        let seen = Seen(home.link)
        let engine = SyncEngine(database: home.database, client: seen, log: Home.quiet)
        _ = try await engine.sync()
        _ = try await engine.hasRemoteChanges(within: 1)
        _ = try await engine.remoteChangeCount()
        #expect(seen.collections.count >= 4)
        #expect(seen.collections.allSatisfy { $0 == "cards,notes" })
        let client = try await home.store.read { try String.fetchOne($0, sql: "SELECT client_id FROM client") }
        #expect(client != nil && seen.clients.first == client, "A run names the store that asks.")
    }

    @Test func `remote changes are counted without storing anything`() async throws {
        fill(3)
        let home = try await Home(server)
        #expect(try await home.engine.remoteChangeCount() == nil, "Everything.")
        try await home.sync()
        #expect(try await home.engine.remoteChangeCount() == 0)
        fill(5)
        #expect(try await home.engine.remoteChangeCount() == 5)
        #expect(try await home.notes().count == 3)
        server.with { $0.epoch = 2 }
        #expect(try await home.engine.remoteChangeCount() == nil)
    }
}

/// Notes as a later version of the program keeps them.
private struct ColouredNoteRow: OfflineRow {
    static let collectionName = "notes"
    static let databaseTableName = "note"
    static let migrations = NoteRow.migrations + [OfflineMigration("2", "ALTER TABLE note ADD COLUMN colour TEXT")]
    var id: String
    var text: String
    var colour: String?
    var version: Int
    var updatedAt: Date

    enum CodingKeys: String, CodingKey {
        case id, text, colour, version
        case updatedAt = "updated_at"
    }

    init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        text = try fields.string("text")
        colour = try fields.optionalString("colour")
        version = stamp.version
        updatedAt = stamp.updatedAt
    }
}

private struct TideRow: OfflineRow {
    static let collectionName = "tides"
    static let databaseTableName = "tide"
    static let migrations = [
        OfflineMigration("1", "CREATE TABLE tide (id TEXT PRIMARY KEY, height INTEGER NOT NULL)")
    ]
    var id: String
    var height: Int

    init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        height = try fields.integer("height")
    }
}

/// Notes which collections are asked for.
private final class Seen: APIClient {
    private let base: SnapshotLink
    private let list = Mutex<[String?]>([])
    private let names = Mutex<[String?]>([])

    init(_ base: SnapshotLink) { self.base = base }
    var collections: [String?] { list.withLock { $0 } }
    var clients: [String?] { names.withLock { $0 } }

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        switch endpoint {
        case let pull as PullChanges:
            list.withLock { $0.append(pull.collections) }
            names.withLock { $0.append(pull.clientId) }
        case let digest as FetchDigest: list.withLock { $0.append(digest.collections) }
        default: break
        }
        return try await base.response(to: endpoint, options: options)
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        if let snapshot = endpoint as? FetchSnapshot { list.withLock { $0.append(snapshot.collections) } }
        return try await base.stream(endpoint, options: options, receive: receive)
    }
}
