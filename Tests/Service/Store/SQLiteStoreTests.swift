import Foundation
import GRDB
import StrataConcurrency
import StrataSQLite
import StrataService
import StrataTesting
import Testing

@Suite struct SQLiteStoreTests {
    @Test func `the file is the owner's alone, in a directory of the owner alone`() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/new/deep/notes.db"
            let store = try await SQLiteStore.open(SQLiteLocation(path: path))
            try await store.write { try $0.execute("CREATE TABLE t (id TEXT)") }
            #expect(try permissions(of: path) == 0o600)
            #expect(try permissions(of: path + "-wal") == 0o600)
            #expect(try permissions(of: path + ".lock") == 0o600)
            #expect(try permissions(of: "\(directory)/new") == 0o700)
            #expect(try permissions(of: "\(directory)/new/deep") == 0o700)
            try await store.close()
        }
    }

    @Test func `a file that others could read is narrowed`() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/notes.db"
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o644])
            let store = try await SQLiteStore.open(SQLiteLocation(path: path))
            #expect(try permissions(of: path) == 0o600)
            try await store.close()
        }
    }

    @Test func `a commit is flushed to disk`() async throws {
        try await withTemporaryDirectory { directory in
            let store = try await SQLiteStore.open(SQLiteLocation(path: "\(directory)/notes.db"))
            let settings = try await store.write { transaction in
                try [
                    transaction.row("PRAGMA synchronous")?.int("synchronous") ?? -1,
                    transaction.row("PRAGMA foreign_keys")?.int("foreign_keys") ?? -1,
                    transaction.row("PRAGMA busy_timeout")?.int("timeout") ?? -1,
                ]
            }
            #expect(settings == [2, 1, 10_000])
            #expect(try await store.read { try $0.row("PRAGMA journal_mode")?.text("journal_mode") } == "wal")
            try await store.close()
        }
    }

    @Test func `a file that another process is about to change is opened when that is over`() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/notes.db"
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: path, configuration: configuration)
            // Not the lock that the busy handler waits for: a reader that wants to write is turned away at once.
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE; CREATE TABLE t (id TEXT)") }
            let pauses = Mutex(0)
            let store = try await SQLiteStore.open(SQLiteLocation(path: path)) {
                let count = pauses.withLock { count in
                    count += 1
                    return count
                }
                if count == 3 { try? other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") } }
            }
            #expect(pauses.withLock { $0 } == 3)
            #expect(try await store.read { try $0.rows("SELECT id FROM t").count } == 0)
            try await store.close()
        }
    }

    @Test func `a second server on the same file is refused with a sentence`() async throws {
        try await withTemporaryDirectory { directory in
            let location = SQLiteLocation(path: "\(directory)/notes.db")
            let first = try await SQLiteStore.open(location)
            await #expect(
                throws: StoreError.unavailable(
                    "Another server uses the database '\(location.path)'; stop it, or choose another file.")
            ) { try await SQLiteStore.open(location) }
            let tool = try await SQLiteStore.open(location, exclusive: false)
            try await tool.write { try $0.execute("CREATE TABLE t (id TEXT)") }
            try await tool.close()
            try await first.close()
        }
    }

    @Test func `a closed server's file can be served again`() async throws {
        try await withTemporaryDirectory { directory in
            let location = SQLiteLocation(path: "\(directory)/notes.db")
            do {
                let first = try await SQLiteStore.open(location)
                try await first.write { try $0.execute("CREATE TABLE t (id TEXT)") }
                try await first.close()
            }
            let second = try await SQLiteStore.open(location)
            try await expectRows(0, in: "t", of: second)
            try await second.close()
        }
    }

    @Test func `a file that is no database is refused and left alone`() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/notes.db"
            let content = Data(repeating: 0x61, count: 5000)
            try content.write(to: URL(filePath: path))
            await #expect {
                try await SQLiteStore.open(SQLiteLocation(path: path))
            } throws: { error in
                guard case StoreError.failed(let message) = error else { return false }
                return message.contains(path)
            }
            #expect(try Data(contentsOf: URL(filePath: path)) == content)
        }
    }

    @Test(arguments: ["/proc/nowhere/notes.db", "/dev/null"])
    func `a path that cannot hold a database is refused with the path`(_ path: String) async throws {
        await #expect {
            try await SQLiteStore.open(SQLiteLocation(path: path))
        } throws: { error in
            guard case StoreError.unavailable(let message) = error else { return false }
            return message.contains(path.hasPrefix("/proc") ? "/proc/nowhere" : path)
        }
    }
}

@Suite struct SQLiteLocationTests {
    @Test(arguments: [
        ("sqlite:notes.db", "notes.db"), ("sqlite:/var/lib/notes.db", "/var/lib/notes.db"),
        ("sqlite:///var/lib/notes.db", "/var/lib/notes.db"), ("sqlite:./a b.db", "./a b.db"),
    ])
    func `a path is what follows the scheme`(_ text: String, _ path: String) throws {
        #expect(try SQLiteLocation(text)?.path == path)
    }

    @Test(arguments: [
        "sqlite:", "sqlite::memory:", "sqlite:/", "sqlite:dir/", "sqlite://host/notes.db", "sqlite:a\u{0}b",
        "sqlite:file:x?mode=memory", "sqlite:file:/var/lib/notes.db",
    ])
    func `text that names no file is refused with the text and a way out`(_ text: String) {
        #expect {
            try SQLiteLocation(text)
        } throws: { error in
            "\(error)".contains("'\(text)'") && "\(error)".contains("sqlite:PATH")
        }
    }

    @Test(arguments: ["postgres://localhost/notes", "notes.db", "", "SQLITE:x"])
    func `another scheme is not a SQLite location`(_ text: String) throws {
        #expect(try SQLiteLocation(text) == nil)
    }
}
