import FoundationEssentials
import GRDB
import Glibc
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `The database file` {
    let server = FakeSyncServer()
    let directory: TemporaryDirectory
    var path: String { "\(directory.path)/state/journal.sqlite" }

    init() throws { directory = try TemporaryDirectory() }

    private func permissions(_ path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    @Test func `commits are on the disk before they are acknowledged`() async throws {
        let home = try await Home(server, in: directory)
        let pragmas = try await home.database.write { db in
            [
                try String.fetchOne(db, sql: "PRAGMA synchronous"), try String.fetchOne(db, sql: "PRAGMA journal_mode"),
            ]
        }
        #expect(pragmas == ["2", "wal"])
    }

    @Test func `a write waits for another process on a thread of its own, and loses nothing`() async throws {
        let home = try await Home(server, in: directory)
        let gate = try #require(home.database.gate as? PoolGate)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        async let first: Void = home.create("a", "first")
        try await eventually(gate.elsewhere > 0)
        // It does not try by itself while one is waiting.
        async let second: Void = home.create("b", "second")
        try await eventually(gate.elsewhere != 1)
        #expect(try await home.store.entries() == [])
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try await first
        try await second
        #expect(Set(try await home.store.entries().map(\.mutation.entityId)) == ["a", "b"])
        #expect(gate.elsewhere == 0)
        // The connection waits again: it did not before it had tried once.
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        async let third: Void = home.database.write { try $0.execute(sql: "DELETE FROM seen") }
        try await eventually(gate.elsewhere > 0)
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try await third
    }

    @Test func `opening a file that is up to date waits for no writer`() async throws {
        let home = try await Home(server, in: directory)
        try await home.create("a", "x")
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let second = try await Home(server, seed: 2, in: directory)
        #expect(try await second.notes().map(\.id) == ["a"])
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    }

    @Test func `a failing write leaves the connection as it was`() async throws {
        let home = try await Home(server, in: directory)
        await #expect(throws: DomainError.self) {
            try await home.database.write(.small) { db in
                try db.execute(sql: "DELETE FROM client")
                throw DatabaseError(resultCode: .SQLITE_BUSY)
            }
        }
        let found = try await home.database.write(.small) { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM client") }
        #expect(found == 1)
    }

    @Test func `file and directory are for their owner only`() async throws {
        let home = try await Home(server, in: directory)
        try await home.create("a", "x")
        #expect(permissions("\(directory.path)/state") == 0o700)
        for suffix in ["", "-wal", "-shm"] { #expect(permissions(path + suffix) == 0o600) }
    }

    @Test func `a file that is no database is kept, copied once and explained`() async throws {
        try FileManager.default.createDirectory(atPath: "\(directory.path)/state", withIntermediateDirectories: true)
        let garbage = Data(repeating: 0x5A, count: 20_000)
        try garbage.write(to: URL(filePath: path))
        var texts: Set<String> = []
        for _ in 0..<3 {
            guard case .storage(let text) = await failure({ try await Home(server, in: directory) }) else {
                Issue.record("expected .storage")
                return
            }
            texts.insert(text)
        }
        let text = try #require(texts.first)
        #expect(texts.count == 1)
        #expect(text.contains(path) && text.contains("damaged") && text.contains("was left as it is"))
        let copies = try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/state")
            .filter { $0.contains(".damaged-") }
        #expect(copies.count == 1)
        #expect(try Data(contentsOf: URL(filePath: path)) == garbage)
        #expect(try Data(contentsOf: URL(filePath: "\(directory.path)/state/\(copies[0])")) == garbage)
        #expect(text.contains(copies[0]))
        #expect(permissions("\(directory.path)/state/\(copies[0])") == 0o600)
    }

    @Test func `damage found while working is reported the same way, and again`() async throws {
        let first = try await Home(server, in: directory)
        let rows = (0..<2_000).map { (id: "n\($0)", fields: ["text": .string("line \($0)")] as [String: JSONValue]) }
        _ = try await first.store.createAll("notes", rows)
        try await first.database.writer.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try await first.database.close()
        var bytes = try Data(contentsOf: URL(filePath: path))
        for offset in stride(from: 8 * 4096, to: bytes.count, by: 4096) {
            bytes.replaceSubrange(offset..<(offset + 64), with: Data(repeating: 0xFF, count: 64))
        }
        try bytes.write(to: URL(filePath: path))
        let home = try await Home(server, in: directory)
        let error = await failure { try await home.notes() }
        guard case .storage(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("a copy was put beside it"))
        #expect(await failure { try await home.create("x", "y") } == .storage(text))
        let copy = try #require(
            try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/state").first {
                $0.contains(".damaged-")
            })
        #expect(try Data(contentsOf: URL(filePath: "\(directory.path)/state/\(copy)")).count == bytes.count)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `a full disk stores no half of a write, and says so`() async throws {
        let home = try await Home(server, in: directory)
        try await home.create("before", "x")
        try await home.database.writer.writeWithoutTransaction { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages + 4)")
        }
        let rows = (0..<2_000).map { (id: "n\($0)", fields: ["text": .string("line \($0)")] as [String: JSONValue]) }
        let error = await failure { try await home.store.createAll("notes", rows) }
        guard case .storage(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.hasPrefix("No space left on the disk of '\(path)'; free space and try again"))
        #expect(try await home.notes().map(\.id) == ["before"])
        #expect(try await home.store.entries().count == 1)
    }

    @Test func `the error names a path that cannot be written`() async throws {
        try Data().write(to: URL(filePath: "\(directory.path)/file"))
        for place in ["/proc/strata/journal.sqlite", "\(directory.path)/file/journal.sqlite", directory.path] {
            let error = await failure {
                try await OfflineDatabase.open(at: place, collections: [NoteRow.collection], log: Home.quiet)
            }
            guard case .storage(let text) = error else {
                Issue.record("\(place): \(String(describing: error))")
                continue
            }
            #expect(text.contains(place))
        }
    }

    @Test func `a file of a newer version is left alone`() async throws {
        let home = try await Home(server, in: directory)
        try await home.database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('offline/99')") }
        try await home.database.close()
        guard case .storage(let text) = await failure({ try await Home(server, in: directory) }) else {
            Issue.record("expected .storage")
            return
        }
        #expect(text.contains("newer version"))
    }

    @Test func `many openers at once make one database with one name`() async throws {
        let path = path
        let names = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let database = try await OfflineDatabase.open(
                        at: path, collections: [NoteRow.collection], log: Home.quiet)
                    return try await database.read { try String.fetchOne($0, sql: "SELECT client_id FROM client") }
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(names.count == 1)
    }

    @Test func `times keep their milliseconds`() {
        for milliseconds in stride(from: Int64(1_795_251_600_000), to: 1_795_251_601_000, by: 1) {
            #expect(Date(milliseconds: milliseconds).milliseconds == milliseconds)
        }
        #expect(Date.distantFuture.milliseconds <= 253_402_300_799_999)
        #expect(Date(timeIntervalSince1970: 1e300).milliseconds == 253_402_300_799_999)
    }
}

@Suite struct `Watching a collection` {
    let server = FakeSyncServer()

    @Test(.timeLimit(.minutes(1)))
    func `an observer gets one element at once and one for every change of this process`() async throws {
        let home = try await Home(server)
        var changes = home.store.changes(in: "notes", on: home.clock).makeAsyncIterator()
        #expect(await changes.next() != nil)
        try await home.create("a", "x")
        #expect(await changes.next() != nil)
        try await home.sync()
        #expect(await changes.next() != nil, "From queued to synchronised is a change.")
    }

    @Test(.timeLimit(.minutes(1)))
    func `the writes of another process are noticed at the next poll`() async throws {
        let directory = try TemporaryDirectory()
        let (here, other) = (try await Home(server, in: directory), try await Home(server, seed: 2, in: directory))
        var changes = here.store.changes(in: "notes", on: here.clock).makeAsyncIterator()
        #expect(await changes.next() != nil)
        await here.clock.waitForSleeper()
        try await other.create("a", "x")
        here.clock.advance(by: .seconds(1))
        #expect(await changes.next() != nil)
        #expect(try await here.note("a") != nil)
    }

    @Test func `the observation of an unknown collection ends at once`() async throws {
        let home = try await Home(server)
        for await _ in home.store.changes(in: "unknown") { Issue.record("nothing to tell") }
    }
}
