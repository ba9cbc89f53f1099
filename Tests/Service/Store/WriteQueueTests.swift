import Dispatch
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
            // All that wait join one group, however slow the machine is.
            let store = try await SQLiteStore.open(
                SQLiteLocation(path: "\(directory)/queue.db"), groupTime: .seconds(600), pause: {})
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

    @Test func `that wait together share one commit`() async throws {
        try await withBusyWriter { store, release in
            let before = commits(store)
            let writes = (0..<40).map { queued(store, insert("\($0)")) }
            release()
            for write in writes { try await write.value }
            try await expectRows(40, in: "tide", of: store)
            #expect(commits(store) - before == 1)
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

    /// Lets three writes run together: one that inserts `before`, `refused`, and one that inserts `after`.
    ///
    /// - Returns: The result of `refused`, and how often `before` ran.
    private func together(
        _ store: SQLiteStore, _ release: () -> Void,
        _ refused: @escaping @Sendable (any StoreTransaction) throws -> Void
    ) async throws -> (result: Result<Void, any Error>, runs: Int) {
        let runs = Mutex(0)
        let before = queued(store) { [insert] transaction in
            runs.withLock { $0 += 1 }
            try insert("before")(transaction)
        }
        let between = queued(store, refused)
        let after = queued(store, insert("after"))
        release()
        try await before.value
        try await after.value
        let result = await between.result
        try await expectRows(2, in: "tide", of: store)
        return (result, runs.withLock { $0 })
    }

    @Test func `are run again alone when their common commit fails`() async throws {
        try await withBusyWriter { store, release in
            // Found at the commit.
            let (result, runs) = try await together(store, release) { transaction in
                try transaction.execute("PRAGMA defer_foreign_keys = ON")
                try transaction.execute("INSERT INTO remark (tide_id) VALUES ('nowhere')")
            }
            #expect {
                try result.get()
            } throws: { error in
                if case StoreError.constraint = error { true } else { false }
            }
            #expect(runs == 2)
            try await expectRows(0, in: "remark", of: store)
        }
    }

    @Test func `are run again alone when one of them ends their transaction`() async throws {
        try await withBusyWriter { store, release in
            // As SQLite does when the disk is full (sqlite.org/lang_transaction.html, section 3).
            let (result, runs) = try await together(store, release) { transaction in
                try transaction.execute("ROLLBACK")
                throw StoreError.full("the disk is full")
            }
            #expect(throws: StoreError.full("the disk is full")) { try result.get() }
            #expect(runs == 2)
        }
    }

    /// More than 64 KiB of them would go to a file in /var/tmp for each group.
    @Test func `keep the pages of their savepoints in memory`() async throws {
        try await withBusyWriter { store, release in
            let write = Task.immediate {
                try await store.write { try $0.row("PRAGMA temp_store")?.int("temp_store") }
            }
            release()
            // 2 is MEMORY (sqlite.org/pragma.html#pragma_temp_store).
            let storage = try await write.value
            #expect(storage == 2)
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

    /// How many contents are in memory, now and at most.
    private final class Counts: Sendable {
        private let state = Mutex((now: 0, most: 0))

        var most: Int { state.withLock(\.most) }

        func add(_ change: Int) {
            state.withLock { state in
                state.now += change
                state.most = max(state.most, state.now)
            }
        }
    }

    /// What a body holds, such as a request of 240 KB. Counts how many of it are in memory.
    private final class Content: Sendable {
        private let change: @Sendable (Int) -> Void

        init(_ change: @escaping @Sendable (Int) -> Void) {
            self.change = change
            change(1)
        }

        deinit { change(-1) }
    }

    /// Each write begins the next one, so that the queue never becomes empty.
    @Test(.timeLimit(.minutes(1)))
    func `release their bodies while the queue never becomes empty`() async throws {
        try await withTemporaryDirectory { directory in
            let store = try await SQLiteStore.open(SQLiteLocation(path: "\(directory)/queue.db"))
            let (last, unfinished) = (3_000, 200)
            let counts = Counts()
            // The tasks of ended writes also hold their bodies, until they continue.
            let continued = DispatchSemaphore(value: unfinished)
            let (ends, isOver) = AsyncStream.makeStream(of: Void.self)
            @Sendable func begin(_ number: Int) {
                let content = Content { counts.add($0) }
                Task.immediate {
                    try await store.write { _ in
                        withExtendedLifetime(content) {}
                        guard number < last else { return }
                        continued.wait()
                        begin(number + 1)
                    }
                    continued.signal()
                    if number == last { isOver.finish() }
                }
            }
            begin(1)
            for await _ in ends {}
            #expect(counts.most <= 2 * unfinished)
            try await store.close()
        }
    }
}
