import FoundationEssentials
import GRDB
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `Carrying the log into the database` {
    let directory: TemporaryDirectory
    let pool: DatabasePool
    private var path: String { "\(directory.path)/rows.sqlite" }

    init() throws {
        directory = try TemporaryDirectory()
        pool = try DatabasePool(path: "\(directory.path)/rows.sqlite")
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0; CREATE TABLE row (number INTEGER PRIMARY KEY)")
        }
    }

    /// Rows in the database file alone, as one would find without its log.
    private func rowsInFile() throws -> Int {
        let copy = "\(directory.path)/copy-\(UUID().uuidString).sqlite"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        return try DatabaseQueue(path: copy).read { db in
            try db.tableExists("row") ? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM row") ?? 0 : 0
        }
    }

    private func insert(_ number: Int) throws {
        try pool.write { try $0.execute(sql: "INSERT INTO row VALUES (?)", arguments: [number]) }
    }

    @Test func `happens while somebody writes, who does not wait for it`() throws {
        let backfill = LogBackfill(of: path, from: 1)
        try insert(1)
        #expect(try rowsInFile() == 0)
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE; INSERT INTO row VALUES (2)")
            backfill.begin()
            backfill.wait()
            try db.execute(sql: "COMMIT")
        }
        #expect(try rowsInFile() == 1)
        #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM row") } == 2)
    }

    @Test func `leaves a short log to the writer`() throws {
        let backfill = LogBackfill(of: path)
        try insert(1)
        backfill.begin()
        backfill.wait()
        #expect(try rowsInFile() == 0)
    }

    @Test func `does nothing to what is no database, or is gone`() throws {
        try Data("no database".utf8).write(to: URL(filePath: "\(directory.path)/other"))
        try Data("no log".utf8).write(to: URL(filePath: "\(directory.path)/other-wal"))
        for name in ["other", "gone"] {
            let backfill = LogBackfill(of: "\(directory.path)/\(name)", from: 0)
            backfill.begin()
            backfill.wait()
        }
        #expect(try Data(contentsOf: URL(filePath: "\(directory.path)/other")) == Data("no database".utf8))
        #expect(!FileManager.default.fileExists(atPath: "\(directory.path)/gone"))
    }
}
