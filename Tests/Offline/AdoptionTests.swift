import FoundationEssentials
import GRDB
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// The engine beside the tables of an app. `Docs/Guides/Offline-any-API.md` shows `TaskRow` and the lines of *the few lines of the guide*.
@Suite struct AdoptionTests {
    /// The tasks of an app, in a table that it made itself.
    struct TaskRow: OfflineRow {
        static let collectionName = "tasks"  // name of the collection
        static let databaseTableName = "task"  // your table, with the text column "id" as its key
        static let migrations: [OfflineMigration] = []  // your migrator makes it
        var id: String
        var text: String

        init(id: String, fields: WireFields, stamp: RowStamp) throws {
            self.id = id
            text = try fields.string("text")
        }
    }

    private static func appMigrator() -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("app-1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE task (id TEXT PRIMARY KEY, text TEXT NOT NULL);
                    CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
                    INSERT INTO task VALUES ('old-1', 'from before');
                    INSERT INTO setting VALUES ('colour', 'red');
                    """)
        }
        return migrator
    }

    @Test func `one table of an app is synchronised, and all others are left alone`() async throws {
        let directory = try TemporaryDirectory()
        let pool = try DatabasePool(path: "\(directory.path)/app.sqlite")
        try Self.appMigrator().migrate(pool)
        let remote = FakeRemote(RemoteAbilities(findsByID: true))
        remote.put("7", "of the server")
        let offline = Offline(in: pool, client: NoClient(), log: .silent)
        let tasks = try offline.collection(TaskRow.self, remote)
        try await offline.sync()
        func texts() async throws -> [String] {
            try await tasks.read { try TaskRow.fetchAll($0).map(\.text).sorted() }
        }
        #expect(try await texts() == ["from before", "of the server"], "a row from before is not removed")
        #expect(remote.texts == ["of the server"], "and not sent")

        #expect(try await tasks.adopt { ["text": .string($0.text)] } == ["old-1"])
        try await tasks.create(["text": "new"])
        try await offline.sync()
        #expect(remote.texts == ["of the server", "from before", "new"])
        #expect(try await texts() == ["from before", "new", "of the server"])
        #expect(try await tasks.remoteID(of: "old-1") == "41")
        let colour = try await pool.read { try String.fetchOne($0, sql: "SELECT value FROM setting") }
        #expect(colour == "red")

        // Both programs start again on the file.
        try Self.appMigrator().migrate(pool)
        let again = Offline(in: pool, client: NoClient(), log: .silent)
        let same = try again.collection(TaskRow.self, remote)
        try await again.sync()
        #expect(try await same.unsent.isEmpty)
        #expect(remote.texts.count == 3)
    }

    @Test func `the few lines of the guide adopt a table`() async throws {
        let directory = try TemporaryDirectory()
        let pool = try DatabasePool(path: "\(directory.path)/app.sqlite")
        try Self.appMigrator().migrate(pool)
        let (remote, client) = (FakeRemote(RemoteAbilities(findsByID: true)), NoClient())
        let offline = Offline(in: pool, client: client)
        let tasks = try offline.collection(TaskRow.self, remote)
        try await offline.sync()
        try await tasks.adopt { ["text": .string($0.text)] }  // queues rows that the server does not have
        try await tasks.create(["text": "new"])
        try await offline.sync()
        #expect(remote.texts == ["from before", "new"])
    }

    @Test func `a table of the app with a name of the engine's is refused with a sentence`() async throws {
        let directory = try TemporaryDirectory()
        let pool = try DatabasePool(path: "\(directory.path)/app.sqlite")
        try await pool.write { try $0.execute(sql: "CREATE TABLE client (id TEXT); INSERT INTO client VALUES ('ada')") }
        let offline = Offline(in: pool, client: NoClient(), log: .silent)
        _ = try offline.collection(TaskRow.self, FakeRemote())
        await #expect {
            _ = try await offline.status()
        } throws: { error in
            (error as? DomainError)?.kind == .storage && "\(error)".contains("'client'")
        }
        let kept = try await pool.read { try String.fetchOne($0, sql: "SELECT id FROM client") }
        #expect(kept == "ada")
    }

    @Test func `a collection after the first use is refused`() async throws {
        let home = try RESTHome()
        _ = try await home.offline.status()
        #expect(throws: DomainError.self) { try home.offline.collection(TaskRow.self, FakeRemote()) }
    }

    @Test func `rows come now and after each change, and a write does not wait for the server`() async throws {
        let home = try RESTHome()
        home.remote.with { $0.refuse = { _ in NetworkError(.offline("no network")) } }
        var rows = home.chores.rows().makeAsyncIterator()
        #expect(try await rows.next()?.isEmpty == true)
        try await home.chores.create(Chore(text: "milk"))
        let shown = try await rows.next()
        #expect(shown?.map(\.content.text) == ["milk"])
        #expect(shown?.first?.syncState == .queued)
        #expect(home.remote.pushes.isEmpty)
    }
}
