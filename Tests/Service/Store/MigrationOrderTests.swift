import StrataSQLite
import StrataTesting
import Testing

@testable import StrataService

@Suite struct MigrationOrderTests {
    private static let entries = StoreMigration("entries", "CREATE TABLE entry (id TEXT PRIMARY KEY)")
    private static let files = StoreMigration(
        "files", after: ["entries"], "CREATE TABLE file (id TEXT PRIMARY KEY, entry TEXT REFERENCES entry (id))")
    private static let thumbnails = StoreMigration("thumbnails", after: ["files", "entries"])
    private static let users = StoreMigration("users")

    @Test(arguments: [
        ([entries, files, users], ["entries", "files", "users"]),
        ([files, users, entries], ["entries", "files", "users"]),
        ([thumbnails, files, users, entries], ["entries", "files", "thumbnails", "users"]),
        ([users, thumbnails, entries, files], ["users", "entries", "files", "thumbnails"]),
        ([], []),
    ])
    func `each migration follows those it names`(
        migrations: [StoreMigration], names: [String]
    ) throws {
        #expect(try migrations.inOrder().map(\.name) == names)
    }

    @Test(arguments: [
        ([entries, users, entries], MigrationOrderError.duplicate("entries")),
        ([users, files], .missing("entries", neededBy: "files")),
        ([StoreMigration("a", after: ["a"])], .cycle("a")),
        ([users, StoreMigration("a", after: ["b"]), StoreMigration("b", after: ["a"])], .cycle("a")),
    ])
    func `migrations without an order are refused before any runs`(
        migrations: [StoreMigration], error: MigrationOrderError
    ) {
        #expect(throws: error) { try migrations.inOrder() }
    }

    @Test func `a database that applied them in another order opens and keeps its data`() async throws {
        try await withTemporaryDirectory { directory in
            let store = try await SQLiteStore.open(SQLiteLocation(path: "\(directory)/old.db"))
            try await store.migrate([Self.files, Self.entries])
            try await store.write { try $0.execute("INSERT INTO entry (id) VALUES ('kept')") }
            try await store.migrate(try [Self.thumbnails, Self.files, Self.users, Self.entries].inOrder())
            #expect(try await store.read { try $0.row("SELECT id FROM entry")?.text("id") } == "kept")
            let names = try await store.read { reader in
                try reader.rows("SELECT name FROM schema_migration ORDER BY name").map { try $0.text("name") }
            }
            #expect(names == ["entries", "files", "thumbnails", "users"])
            try await store.close()
        }
    }
}
