import FoundationEssentials
import StrataConcurrency
import StrataSQLite
import StrataService
import StrataTesting
import Testing

/// Writes of SQLite that wait at the same time.
@Suite struct WriteQueueTests {
    private struct Refusal: Error, Equatable {}

    private let schema = StoreMigration(
        "queue-1", "CREATE TABLE tide (id TEXT NOT NULL PRIMARY KEY)",
        "CREATE TABLE remark (tide_id TEXT NOT NULL REFERENCES tide (id))")

    /// Runs `body` with a store whose writer is busy. Writes that begin in `body` wait until it calls `release`.
    private func withBusyWriter(_ body: (SQLiteStore, _ release: () -> Void) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let store = try await SQLiteStore.open(SQLiteLocation(path: "\(directory)/queue.db"))
            try await store.migrate([schema])
            let (inside, release) = (BlockingFlag(), BlockingFlag())
            let first = Task {
                try await store.write { _ in
                    inside.raise()
                    release.wait()
                    // It may be run again, with those that joined its transaction.
                    release.raise()
                }
            }
            try await BlockingPool(threads: 1, queueLimit: 1).run { inside.wait() }
            try await body(store) { release.raise() }
            try await first.value
            try await store.close()
        }
    }

    /// A write that waits in the queue when this returns.
    private func queued(
        _ store: SQLiteStore, _ body: @escaping @Sendable (any StoreTransaction) throws -> Void
    ) -> Task<Void, any Error> {
        // The task runs here until it waits.
        Task.immediate { try await store.write(body) }
    }

    private func insert(_ id: String) -> @Sendable (any StoreTransaction) throws -> Void {
        { transaction in try transaction.execute("INSERT INTO tide (id) VALUES (\(id))") }
    }

    private func commits(_ store: SQLiteStore) -> Double {
        store.samples.first { $0.name == "database_commits_total" }?.value ?? 0
    }

    @Test func `that wait together share commits`() async throws {
        try await withBusyWriter { store, release in
            let before = commits(store)
            let writes = (0..<40).map { queued(store, insert("\($0)")) }
            release()
            for write in writes { try await write.value }
            try await expectRows(40, in: "tide", of: store)
            // The busy one and 40 others.
            #expect(commits(store) - before < 41)
        }
    }

    @Test func `have outcomes of their own: one that fails is rolled back alone`() async throws {
        try await withBusyWriter { store, release in
            let writes = (0..<9).map { number in
                queued(store) { transaction in
                    try transaction.execute("INSERT INTO tide (id) VALUES (\("\(number)"))")
                    if number % 3 == 1 { throw Refusal() }
                }
            }
            release()
            for (number, write) in writes.enumerated() {
                let result = await write.result
                if number % 3 == 1 {
                    #expect(throws: Refusal.self) { try result.get() }
                } else {
                    try result.get()
                }
            }
            let ids = try await store.read { try $0.rows("SELECT id FROM tide ORDER BY id").map { try $0.text("id") } }
            #expect(ids == ["0", "2", "3", "5", "6", "8"])
        }
    }

    @Test func `are run again alone when their common commit fails`() async throws {
        try await withBusyWriter { store, release in
            let before = queued(store, insert("before"))
            // Found at the commit.
            let broken = queued(store) { transaction in
                try transaction.execute("PRAGMA defer_foreign_keys = ON")
                try transaction.execute("INSERT INTO remark (tide_id) VALUES ('nowhere')")
            }
            let after = queued(store, insert("after"))
            release()
            try await before.value
            try await after.value
            await #expect {
                try await broken.value
            } throws: { error in
                if case StoreError.constraint = error { true } else { false }
            }
            try await expectRows(2, in: "tide", of: store)
            try await expectRows(0, in: "remark", of: store)
        }
    }

    @Test func `are run again alone when one of them ends their transaction`() async throws {
        try await withBusyWriter { store, release in
            let runs = Mutex(0)
            let before = queued(store) { transaction in
                runs.withLock { $0 += 1 }
                try transaction.execute("INSERT INTO tide (id) VALUES ('before')")
            }
            // As SQLite does when the disk is full (sqlite.org/lang_transaction.html, section 3).
            let fatal = queued(store) { transaction in
                try transaction.execute("ROLLBACK")
                throw StoreError.full("the disk is full")
            }
            let after = queued(store, insert("after"))
            release()
            try await before.value
            try await after.value
            await #expect(throws: StoreError.full("the disk is full")) { try await fatal.value }
            try await expectRows(2, in: "tide", of: store)
            #expect((1...2).contains(runs.withLock { $0 }))
        }
    }

    @Test func `that are cancelled in the queue never run`() async throws {
        try await withBusyWriter { store, release in
            let cancelled = queued(store, insert("cancelled"))
            let kept = queued(store, insert("kept"))
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            release()
            try await kept.value
            let ids = try await store.read { try $0.rows("SELECT id FROM tide").map { try $0.text("id") } }
            #expect(ids == ["kept"])
        }
    }
}
