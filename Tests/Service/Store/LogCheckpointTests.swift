import Dispatch
import Foundation
import GRDB
import StrataConcurrency
import StrataService
import StrataSystem
import StrataTesting
import Testing

@testable import StrataSQLite

/// The write-ahead log of a server whose reads never pause.
struct LogCheckpointTests {
    /// Two reads that take turns, so that one of them is always open.
    private final class Reads: Sendable {
        private let turns = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        private let isOver = Mutex(false)

        /// Reads until `end`. Each read ends once the other one has begun.
        func run(_ number: Int, of path: String) throws {
            // The other one may wait for this one when it fails.
            defer { turns[1 - number].signal() }
            let database = try DatabaseQueue(path: path)
            if number == 1 { turns[1].wait() }
            while !isOver.withLock({ $0 }) {
                try database.read { database in
                    _ = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM line")
                    turns[1 - number].signal()
                    turns[number].wait()
                }
            }
        }

        func end() {
            isOver.withLock { $0 = true }
            for turn in turns { turn.signal() }
        }
    }

    private func withStore(_ body: (SQLiteStore, _ path: String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/log.db"
            let store = try await SQLiteStore.open(SQLiteLocation(path: path))
            try await store.write { try $0.execute("CREATE TABLE line (content TEXT)") }
            try await body(store, path)
            try await store.close()
        }
    }

    /// Writes lines of 400 KB.
    ///
    /// - Returns: The most bytes of the log after one.
    private func write(_ lines: Int, to store: SQLiteStore, _ path: String) async throws -> Int {
        let content = String(repeating: "x", count: 400_000)
        var most = 0
        for _ in 0..<lines {
            try await store.write { try $0.execute("INSERT INTO line (content) VALUES (\(content))") }
            most = max(most, Stat.size(at: "\(path)-wal") ?? 0)
        }
        return most
    }

    @Test func `it stays bounded while a read is always open`() async throws {
        try await withStore { store, path in
            let reads = Reads()
            async let first: Void = runBlocking { try reads.run(0, of: path) }
            async let second: Void = runBlocking { try reads.run(1, of: path) }
            let most: Int
            do {
                defer { reads.end() }
                most = try await write(150, to: store, path)
            }
            _ = try await (first, second)
            #expect(most > LogCheckpoint.least, "the reads did not keep SQLite from starting it anew")
            #expect(most < 2 * LogCheckpoint.least, "\(most) bytes")
        }
    }

    @Test func `a read of minutes delays few writes, and loses none`() async throws {
        try await withStore { store, path in
            let (isOpen, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            async let long: Int? = runBlocking {
                try DatabaseQueue(path: path).read { database in
                    let before = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM line")
                    isOpen.signal()
                    mayEnd.wait()
                    return before
                }
            }
            await runBlocking { isOpen.wait() }
            let most: Int
            do {
                defer { mayEnd.signal() }
                most = try await write(60, to: store, path)
            }
            #expect(most > LogCheckpoint.least)
            #expect(try await long == 0)
            let rows = try await store.read { try $0.row("SELECT COUNT(*) AS count FROM line")?.int("count") }
            #expect(rows == 60)
        }
    }

    @Test func `an attempt in vain is repeated when it has grown by a quarter`() {
        var checkpoint = LogCheckpoint()
        var attempts: [(size: Int, wait: Duration)] = []
        for size in stride(from: 0, to: 400 << 20, by: 1 << 20) {
            checkpoint.run(logSize: size) { wait in
                attempts.append((size, wait))
                return false
            }
        }
        #expect(attempts.map { $0.size >> 20 } == [16, 20, 25, 32, 40, 50, 63, 79, 99, 124, 155, 194, 243, 304, 380])
        #expect(attempts[0].wait == .milliseconds(100) && attempts.allSatisfy { $0.wait <= .seconds(1) })
        checkpoint.run(logSize: 500 << 20) { _ in true }
        var isTried = false
        checkpoint.run(logSize: LogCheckpoint.least) { _ in
            isTried = true
            return true
        }
        #expect(isTried)
    }
}
