import Foundation
import GRDB
import StrataSQLite
import StrataService
import StrataTesting
import Testing

/// A database whose files are removed, replaced or damaged while it is open.
@Suite struct `A database that is not what it was` {
    /// Rows that fill some hundred pages, in one file.
    static func filled(_ path: String, log: LogRecorder) async throws -> SQLiteStore {
        let location = SQLiteLocation(path: path)
        let first = try await SQLiteStore.open(location)
        try await first.migrate([StoreMigration("t-1", "CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, text TEXT)")])
        try await first.write { transaction in
            for index in 0..<500 {
                let text = String(repeating: "\(index) ", count: 500)
                try transaction.execute("INSERT INTO t (id, text) VALUES (\("\(index)"), \(text))")
            }
        }
        try await first.close()
        return try await SQLiteStore.open(location, logger: log.logger())
    }

    private func insert(_ store: SQLiteStore) async throws {
        try await store.write { try $0.execute("INSERT INTO t (id) VALUES (\(UUID().uuidString))") }
    }

    private func withStore(_ body: (SQLiteStore, String, LogRecorder) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let (path, log) = ("\(directory)/notes.db", LogRecorder())
            let store = try await Self.filled(path, log: log)
            try await body(store, path, log)
            try? await store.close()
        }
    }

    private func expectRefusal(_ words: String, _ store: SQLiteStore, _ log: LogRecorder) async throws {
        for _ in 0..<3 {
            await #expect {
                try await insert(store)
            } throws: { error in
                guard case StoreError.unavailable(let text) = error else { return false }
                return text.contains(words)
            }
        }
        #expect(log.lines.count { $0.hasPrefix("critical ") && $0.contains(words) } == 1, "\(log.lines)")
        #expect(store.samples.first { $0.name == "database_usable" }?.value == 0)
    }

    @Test func `that was removed refuses writes`() async throws {
        try await withStore { store, path, log in
            try await insert(store)
            try FileManager.default.removeItem(atPath: path)
            try await expectRefusal("was removed or replaced", store, log)
            try await store.close()
            #expect(!FileManager.default.fileExists(atPath: path), "nothing empty takes its place")
        }
    }

    @Test func `that was replaced refuses writes, and the other file stays unchanged`() async throws {
        try await withStore { store, path, log in
            try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
            try FileManager.default.copyItem(atPath: path + ".old", toPath: path)
            let before = try Data(contentsOf: URL(filePath: path))
            try await expectRefusal("was removed or replaced", store, log)
            try await store.close()
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test func `that is put back accepts writes again`() async throws {
        try await withStore { store, path, log in
            try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
            try await expectRefusal("was removed or replaced", store, log)
            try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
            try await insert(store)
            #expect(log.lines.contains { $0.contains("in its place again") })
            #expect(store.samples.first { $0.name == "database_usable" }?.value == 1)
        }
    }

    @Test(arguments: ["-wal", "-shm"])
    func `that lost its log or shared memory refuses writes`(suffix: String) async throws {
        try await withStore { store, path, log in
            try await insert(store)
            try FileManager.default.removeItem(atPath: path + suffix)
            try await expectRefusal("write-ahead log", store, log)
        }
    }

    @Test func `whose file is removed during a transaction acknowledges no commit`() async throws {
        try await withStore { store, path, log in
            await #expect(throws: StoreError.self) {
                try await store.write { transaction in
                    try transaction.execute("INSERT INTO t (id) VALUES ('late')")
                    try FileManager.default.removeItem(atPath: path)
                }
            }
            try await expectRefusal("was removed or replaced", store, log)
        }
    }

    @Test func `whose middle is overwritten refuses writes after a read found the damage`() async throws {
        try await withStore { store, path, log in
            try overwriteMiddle(of: path)
            await #expect {
                try await store.read { try $0.rows("SELECT text FROM t").count }
            } throws: { error in
                guard case StoreError.unavailable = error else { return false }
                return true
            }
            try await expectRefusal("is damaged", store, log)
        }
    }

    @Test func `whose middle is overwritten is found by the inspection, without any read`() async throws {
        try await withStore { store, path, log in
            try overwriteMiddle(of: path)
            // The first scan is due after a hundred times the duration of the one at the start.
            try await eventually("the inspection has found the damage") {
                try await store.inspect()
                return store.samples.first { $0.name == "database_usable" }?.value != 1
            }
            try await expectRefusal("is damaged", store, log)
        }
    }

    @Test(arguments: [true, false])
    func `at its end is refused at the start`(isCut: Bool) async throws {
        try await withStore { store, path, _ in
            try await store.close()
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            let file = try FileHandle(forUpdating: URL(filePath: path))
            if isCut {
                try file.truncate(atOffset: UInt64(size - 8 * 4096))
            } else {
                try file.seek(toOffset: UInt64(size - 8 * 4096))
                try file.write(contentsOf: Data(repeating: 0x5A, count: 8 * 4096))
            }
            try file.close()
            await #expect {
                try await SQLiteStore.open(SQLiteLocation(path: path))
            } throws: { error in
                guard case StoreError.failed(let text) = error else { return false }
                return text.contains(path) && text.contains("backup")
            }
        }
    }
}

/// Writes over a third of the file, pages of every kind among them.
func overwriteMiddle(of path: String) throws {
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: UInt64(size / 3 / 4096 * 4096))
    try file.write(contentsOf: Data(repeating: 0x5A, count: size / 3))
    try file.close()
}

@Suite struct `The schema at the start` {
    private let migrations = [
        StoreMigration("tide-1", "CREATE TABLE tide (id TEXT NOT NULL PRIMARY KEY, level BIGINT NOT NULL)"),
        StoreMigration(
            "tide-2", "ALTER TABLE tide ADD COLUMN depth BIGINT", "CREATE INDEX tide_by_level ON tide (level)"),
    ]

    private func refusal(after change: StrataService.Statement) async throws -> String {
        try await withTemporaryDirectory { directory in
            let store = try await SQLiteStore.open(SQLiteLocation(path: directory + "/tides.db"))
            try await store.migrate(migrations)
            try await store.migrate(migrations)
            try await store.write { transaction in _ = try transaction.execute(change) }
            var text = ""
            do { try await store.migrate(migrations) } catch StoreError.failed(let words) { text = words }
            try await store.close()
            return text
        }
    }

    @Test(arguments: [
        ("DROP TABLE tide", "lacks the table 'tide'"), ("DROP INDEX tide_by_level", "lacks the index 'tide_by_level'"),
        ("ALTER TABLE tide DROP COLUMN depth", "lacks the column 'depth' of tide"),
        ("INSERT INTO schema_migration (name, applied_at) VALUES ('tide-3', 1)", "has the migration 'tide-3'"),
        ("CREATE TABLE extra (id TEXT)", ""), ("INSERT INTO tide (id, level) VALUES ('a', 1)", ""),
    ])
    func `that lacks a part of its schema is refused`(change: String, words: String)
        async throws
    {
        let text = try await refusal(after: StrataService.Statement(stringLiteral: change))
        #expect(words.isEmpty ? text.isEmpty : text.contains(words), "\(text)")
    }

    @Test func `that is newer is not written to`() async throws {
        try await withTemporaryDirectory { directory in
            let store = try await SQLiteStore.open(SQLiteLocation(path: directory + "/tides.db"))
            try await store.migrate(migrations)
            let other = StoreMigration("wave-1", "CREATE TABLE wave (id TEXT)")
            await #expect(throws: StoreError.self) { try await store.migrate([migrations[0], other]) }
            #expect(try await store.count("schema_migration") == 2)
            try await store.close()
        }
    }
}

@Suite struct `The end of a database` {
    /// The files of a directory.
    private func names(_ directory: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: directory))
    }

    @Test func `is one file with everything`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/notes.db"
            let store = try await SQLiteStore.open(SQLiteLocation(path: path))
            try await store.write { try $0.execute("CREATE TABLE t (id TEXT)") }
            for index in 0..<20 {
                try await store.write { try $0.execute("INSERT INTO t (id) VALUES (\("\(index)"))") }
                _ = try await store.count("t")
            }
            #expect(try names(directory) == ["notes.db", "notes.db-wal", "notes.db-shm", "notes.db.lock"])
            try await store.close()
            #expect(try names(directory) == ["notes.db", "notes.db.lock"])
            let copy = directory + "/copy.db"
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            let copied = try await SQLiteStore.open(SQLiteLocation(path: copy))
            try await expectRows(20, in: "t", of: copied)
            try await copied.close()
        }
    }

    @Test func `closed beside another process is one complete file`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let (path, log) = (directory + "/notes.db", LogRecorder())
            let server = try await SQLiteStore.open(SQLiteLocation(path: path), logger: log.logger())
            try await server.write { try $0.execute("CREATE TABLE t (id TEXT)") }
            let tool = try await SQLiteStore.open(SQLiteLocation(path: path), exclusive: false)
            try await server.write { try $0.execute("INSERT INTO t (id) VALUES ('a')") }
            _ = try await tool.count("t")
            try await server.close()
            #expect(log.lines.contains { $0.contains("another process has the database open") })
            let copy = directory + "/copy.db"
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try await tool.write { try $0.execute("INSERT INTO t (id) VALUES ('b')") }
            try await tool.close()
            let left = try names(directory)
            #expect(!left.contains("notes.db-wal"))
            for (file, rows) in [(copy, 1), (path, 2)] {
                let store = try await SQLiteStore.open(SQLiteLocation(path: file))
                try await expectRows(rows, in: "t", of: store)
                try await store.close()
            }
        }
    }

    @Test func `whose log cannot be moved loses nothing and is logged`() async throws {
        try await withTemporaryDirectory { directory in
            let (path, log) = (directory + "/notes.db", LogRecorder())
            let store = try await SQLiteStore.open(SQLiteLocation(path: path), logger: log.logger())
            try await store.write { try $0.execute("CREATE TABLE t (id TEXT)") }
            // A reader in the old state keeps the log from being moved; nothing waits for it.
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let reader = try DatabaseQueue(path: path, configuration: configuration)
            try await store.write { try $0.execute("PRAGMA busy_timeout = 0") }
            try await reader.writeWithoutTransaction { database in
                try database.execute(sql: "BEGIN")
                _ = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM t")
            }
            try await store.write { try $0.execute("INSERT INTO t (id) VALUES ('a')") }
            try await store.close()
            #expect(log.lines.contains { $0.contains("could not be moved") }, "\(log.lines)")
            try await reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            try reader.close()
            let again = try await SQLiteStore.open(SQLiteLocation(path: path))
            try await expectRows(1, in: "t", of: again)
            try await again.close()
        }
    }
}

@Suite struct `The lock of a database` {
    @Test func `holds through a symbolic link`() async throws {
        try await withTemporaryDirectory { directory in
            let (path, link) = (directory + "/notes.db", directory + "/link.db")
            let first = try await SQLiteStore.open(SQLiteLocation(path: path))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            await #expect(
                throws: StoreError.unavailable(
                    "Another server uses the database '\(link)'; stop it, or choose another file.")
            ) { try await SQLiteStore.open(SQLiteLocation(path: link)) }
            try await first.close()
            let second = try await SQLiteStore.open(SQLiteLocation(path: link))
            try await second.write { try $0.execute("CREATE TABLE t (id TEXT)") }
            #expect(!FileManager.default.fileExists(atPath: link + "-wal"))
            try await second.close()
        }
    }

    @Test(arguments: [true, false])
    func `is not needed for a file under two names, which is refused`(exclusive: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let (path, link) = (directory + "/notes.db", directory + "/other.db")
            let first = try await SQLiteStore.open(SQLiteLocation(path: path))
            try await first.write { try $0.execute("CREATE TABLE t (id TEXT)") }
            try FileManager.default.linkItem(atPath: path, toPath: link)
            await #expect {
                try await SQLiteStore.open(SQLiteLocation(path: link), exclusive: exclusive)
            } throws: { error in
                guard case StoreError.unavailable(let text) = error else { return false }
                return text.contains(link) && text.contains("2 hard links")
            }
            #expect(!FileManager.default.fileExists(atPath: link + "-wal"))
            try await first.write { try $0.execute("INSERT INTO t (id) VALUES ('a')") }
            try await first.close()
        }
    }
}
