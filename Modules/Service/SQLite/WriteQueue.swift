import GRDB
import StrataConcurrency
import StrataService

/// Runs the bodies of writes one at a time, in the order of their arrival. Those that wait at the same time share one commit:
/// SQLite waits for the disk once for all of them.
///
/// Each body has its own outcome. One that fails is rolled back to its savepoint. When a transaction of several bodies fails as
/// a whole, because the disk is full or a deferred constraint is broken, each runs again in a transaction of its own, and its
/// outcome is that of the second run.
///
/// A body that is alone has no savepoint and waits for nothing. One that is first in a group waits at most `groupTime` longer
/// than alone, which is less than a disk takes for a commit; the others wait for fewer commits.
final class WriteQueue: Sendable {
    private static let groupLimit = 64

    private struct State {
        /// With `nil` for those that have begun.
        private var waiting: [(any QueuedWrite)?] = []
        /// The first of `waiting` that still waits.
        private var next = 0
        var isRunning = false

        mutating func append(_ write: any QueuedWrite) { waiting.append(write) }

        /// Keeps nothing of a write that it returns, also while the queue never becomes empty.
        mutating func popFirst() -> (any QueuedWrite)? {
            guard next < waiting.count else { return nil }
            defer {
                waiting[next] = nil
                next += 1
                if next == waiting.count || next >= 64 && next * 2 >= waiting.count {
                    waiting.removeFirst(next)
                    next = 0
                }
            }
            return waiting[next]
        }
    }

    private let pool: DatabasePool
    private let watch: DatabaseWatch
    private let groupTime: Duration
    private let state = Mutex(State())
    /// Used on the queue of GRDB's writer alone; `nil` before the first write and after `forgetStatements`.
    private let connection = Mutex<SQLiteConnection?>(nil)
    private let checkpoint = Mutex(LogCheckpoint())

    init(_ pool: DatabasePool, watch: DatabaseWatch, groupTime: Duration) {
        (self.pool, self.watch, self.groupTime) = (pool, watch, groupTime)
    }

    /// - Throws: `CancellationError` when the task is cancelled before its body begins, or while a statement of it runs.
    func run<Value: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value
    {
        try await PendingWrite(body).value { write in
            let mustStart = state.withLock { state in
                state.append(write)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            guard mustStart else { return }
            pool.asyncWriteWithoutTransaction { [self] database in
                let connection = connection(of: database)
                while let first = next() {
                    runGroup(first, on: connection)
                    emptyLargeLog(of: connection)
                }
            }
        }
    }

    /// Finalizes the statements of the writer, before it is closed.
    func forgetStatements() { connection.withLock { $0 = nil } }

    private func connection(of database: Database) -> SQLiteConnection? {
        connection.withLock { known in
            if let known { return known }
            known = database.sqliteConnection.map { SQLiteConnection($0, watch: watch) }
            return known
        }
    }

    /// The next write that was not cancelled, marked as begun.
    private func next(inGroup: Bool = false) -> (any QueuedWrite)? {
        state.withLock { state in
            while let write = state.popFirst() {
                if write.begin() { return write }
            }
            if !inGroup { state.isRunning = false }
            return nil
        }
    }

    private func runGroup(_ first: any QueuedWrite, on connection: SQLiteConnection?) {
        guard let connection else { return first.end(with: StoreError.unavailable("the database is closed")) }
        let start = ContinuousClock.now
        var members: [any QueuedWrite] = []
        var following: (any QueuedWrite)? = first
        while let write = following {
            do {
                if members.isEmpty { try begin(on: connection) }
                try run(write, inSavepoint: !members.isEmpty, on: connection)
                members.append(write)
            } catch {
                if !members.isEmpty, !connection.isInTransaction {
                    // The failure took the writes before it along.
                    for member in members { runAlone(member, on: connection) }
                    members = []
                    runAlone(write, on: connection)
                } else {
                    write.end(with: error)
                }
            }
            let isFull = members.count >= Self.groupLimit || ContinuousClock.now - start > groupTime
            following = isFull ? nil : next(inGroup: true)
        }
        guard !members.isEmpty else { return }
        do {
            try commit(on: connection)
            for member in members { member.end(with: nil) }
        } catch let error as NotAcknowledged {
            for member in members { member.end(with: error.reason) }
        } catch {
            if members.count == 1 { return members[0].end(with: error) }
            for member in members { runAlone(member, on: connection) }
        }
    }

    private func emptyLargeLog(of connection: SQLiteConnection?) {
        guard let connection, let size = watch.logSize else { return }
        checkpoint.withLock { $0.run(logSize: size) { connection.emptyLog(waiting: $0) } }
    }

    private func runAlone(_ write: any QueuedWrite, on connection: SQLiteConnection) {
        do {
            try begin(on: connection)
            try run(write, inSavepoint: false, on: connection)
            try commit(on: connection)
            write.end(with: nil)
        } catch let error as NotAcknowledged {
            write.end(with: error.reason)
        } catch {
            write.end(with: error)
        }
    }

    private func begin(on connection: SQLiteConnection) throws {
        try watch.requireSound()
        // Of a transaction that could not be ended, if there is one.
        connection.rollBack()
        try connection.run("BEGIN IMMEDIATE")
    }

    /// - Throws: The error of the body. Its effect is then rolled back; without a savepoint, so is the transaction.
    private func run(_ write: any QueuedWrite, inSavepoint: Bool, on connection: SQLiteConnection) throws {
        do {
            if inSavepoint { try connection.run("SAVEPOINT write") }
            do {
                connection.bound(by: .cancellation(write.cancellation))
                defer { connection.bound(by: .none) }
                try write.run(in: connection)
            }
            if write.cancellation.isCancelled { throw CancellationError() }
            // A body that caught an error which ended the transaction.
            guard connection.isInTransaction else { throw StoreError.unavailable("the transaction was rolled back") }
            if inSavepoint { try connection.run("RELEASE write") }
        } catch {
            guard connection.isInTransaction else { throw error }
            do {
                if inSavepoint {
                    try connection.run("ROLLBACK TO write")
                    try connection.run("RELEASE write")
                } else {
                    connection.rollBack()
                }
            } catch {
                // Without the savepoint the whole transaction goes.
                connection.rollBack()
            }
            throw error
        }
    }

    private func commit(on connection: SQLiteConnection) throws {
        do { try connection.run("COMMIT") } catch {
            connection.rollBack()
            throw error
        }
        // A commit into a removed file is not acknowledged.
        do { try watch.requireSound() } catch { throw NotAcknowledged(reason: error) }
        watch.countCommit()
    }

    /// The transaction is committed, and its file is known to be lost.
    private struct NotAcknowledged: Error { let reason: any Error }
}
