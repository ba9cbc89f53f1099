import FoundationEssentials
import GRDB
import StrataDomain
import StrataSystem
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `A damaged database` {
    let server = FakeSyncServer()
    let directory: TemporaryDirectory
    var path: String { "\(directory.path)/state/journal.sqlite" }

    init() throws { directory = try TemporaryDirectory() }

    /// A database with 2000 entries, closed, half of whose pages are overwritten.
    private func damaged() async throws -> Data {
        let home = try await Home(server, in: directory)
        let rows = (0..<2_000).map { (id: "n\($0)", fields: ["text": .string("line \($0)")] as [String: JSONValue]) }
        _ = try await home.store.createAll("notes", rows)
        try await home.database.writer.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try await home.database.close()
        var bytes = try Data(contentsOf: URL(filePath: path))
        for offset in stride(from: bytes.count / 8192 * 4096, to: bytes.count, by: 4096) {
            bytes.replaceSubrange(offset..<(offset + 64), with: Data(repeating: 0xFF, count: 64))
        }
        // In place: the file stays the same one.
        let handle = try systemCall { open(path, O_WRONLY) }
        defer { close(handle) }
        let written = bytes.withUnsafeBytes { pwrite(handle, $0.baseAddress, $0.count, 0) }
        try #require(written == bytes.count)
        return bytes
    }

    @Test func `a check finds damage, and nothing is written into the file afterwards`() async throws {
        let bytes = try await damaged()
        let first = try await Home(server, in: directory)
        guard case .storage(let text) = await failure({ try await first.database.check() }) else {
            Issue.record("expected .storage")
            return
        }
        #expect(text.contains("damaged") && text.contains("a copy was put beside it") && text.contains(".recover"))
        #expect(!text.contains("\n"))
        // Another process, later.
        let second = try await Home(server, seed: 2, in: directory)
        #expect(second.database.obstacle == .storage(text))
        #expect(await failure { try await second.create("x", "y") } == .storage(text))
        #expect(await failure { try await second.sync() } == .storage(text))
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }

    @Test func `a process that had the damaged file open stops writing too`() async throws {
        let home = try await Home(server, in: directory)
        try await home.create("a", "x")
        DamageRecord(path: path).keep("found by another process")
        guard case .storage(let text) = await failure({ try await home.create("b", "y") }) else {
            Issue.record("expected .storage")
            return
        }
        #expect(text.contains("damage") && text.contains(path))
        #expect(try await home.notes().map(\.id) == ["a"])
    }

    @Test func `a damaged file that was moved away is replaced by a new one, which says so`() async throws {
        _ = try await damaged()
        _ = await failure { try await Home(server, in: directory).database.check() }
        for suffix in ["", "-wal"] { rename(path + suffix, "\(directory.path)/away\(suffix)") }
        let home = try await Home(server, in: directory)
        #expect(home.database.obstacle == nil && home.database.replacesLost)
        try await home.create("x", "y")
        #expect(!FileManager.default.fileExists(atPath: "\(path).damage"))
    }

    @Test func `a file that was repaired in place is used again`() async throws {
        let home = try await Home(server, in: directory)
        try await home.create("a", "x")
        DamageRecord(path: path).keep("database disk image is malformed")
        try await home.database.close()
        utimes(path, nil)
        let again = try await Home(server, in: directory)
        #expect(again.database.obstacle == nil)
        try await again.create("b", "y")
    }

    @Test func `a sound file passes the check`() async throws {
        let home = try await Home(server, in: directory)
        try await home.create("a", "x")
        try await home.database.check()
        #expect(!home.database.replacesLost)
    }
}

@Suite struct `A database that is gone` {
    let server = FakeSyncServer()
    let directory: TemporaryDirectory
    var path: String { "\(directory.path)/state/journal.sqlite" }

    init() throws { directory = try TemporaryDirectory() }

    private func opened() async throws -> OfflineDatabase {
        try await OfflineDatabase.open(at: path, collections: [NoteRow.collection], log: Home.quiet)
    }

    /// A database with an entry, whose file is closed and whole.
    private func begin() async throws {
        let home = try await Home(server, in: directory)
        try await home.create("a", "x")
        try await home.database.writer.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try await home.database.close()
    }

    @Test func `an empty file in place of a database is not taken for a new one`() async throws {
        try await begin()
        try Data().write(to: URL(filePath: path))
        for _ in 0..<2 {
            guard case .storage(let text) = await failure({ try await opened() }) else {
                Issue.record("expected .storage")
                return
            }
            #expect(text.contains("is empty (0 bytes)") && text.contains(path) && text.contains("move"))
        }
        #expect(Stat.size(at: path) == 0)
    }

    @Test func `an empty file becomes a new database where none was known`() async throws {
        try FileManager.default.createDirectory(atPath: "\(directory.path)/state", withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: path))
        let database = try await opened()
        #expect(!database.replacesLost)
    }

    @Test func `a missing file is replaced by a new one, which says so once`() async throws {
        try await begin()
        unlink(path)
        let database = try await opened()
        #expect(database.replacesLost)
        try await database.close()
        #expect(try await opened().replacesLost == false)
    }

    @Test func `a log without its database is kept`() async throws {
        try await begin()
        unlink(path)
        try Data("log".utf8).write(to: URL(filePath: "\(path)-wal"))
        guard case .storage(let text) = await failure({ try await opened() }) else {
            Issue.record("expected .storage")
            return
        }
        #expect(text.contains("\(path)-wal"))
        #expect(Stat.size(at: "\(path)-wal") == 3)
    }
}
