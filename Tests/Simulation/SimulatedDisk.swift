import GRDB
import StrataConcurrency
import StrataDomain

@testable import StrataOffline

/// The state of a device that survives its processes: a database in memory, and the holder of the sync lease.
// Sendable proof: only the thread of the scheduler touches it.
final class SimulatedDisk: @unchecked Sendable {
    let queue: DatabaseQueue
    private var connection: Database?
    weak var lease: SimulatedLease?
    var holder: Life?

    /// - Parameter queue: A database with the schema and without rows.
    init(_ queue: DatabaseQueue, client: String) throws {
        self.queue = queue
        try access { db in
            try EngineSchema.prepare(db)
            try db.cachedStatement(sql: "UPDATE client SET client_id = ?").execute(arguments: [client])
        }
    }

    /// Holds the connections of all disks while `body` runs. Otherwise each access would pass a dispatch queue, which takes
    /// longer than most accesses.
    static func holding<Value>(_ disks: ArraySlice<SimulatedDisk>, _ body: () throws -> Value) throws -> Value {
        guard let disk = disks.first else { return try body() }
        return try disk.queue.unsafeReentrantWrite { db in
            disk.connection = db
            defer { disk.connection = nil }
            return try holding(disks.dropFirst(), body)
        }
    }

    func access<Value>(_ work: (Database) throws -> Value) throws -> Value {
        if let connection { return try work(connection) }
        return try queue.unsafeReentrantWrite(work)
    }

    /// Faster than GRDB's transactions, which compile their statements each time.
    func transaction<Value>(_ work: (Database) throws -> Value) throws -> Value {
        try access { db in
            try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
            do {
                let value = try work(db)
                try db.cachedStatement(sql: "COMMIT").execute()
                return value
            } catch {
                try db.cachedStatement(sql: "ROLLBACK").execute()
                throw error
            }
        }
    }

    static let collections = [NoteRow.collection, DraftRow.collection]
}

/// Empty databases that are reused by the next run: creating the schema and compiling the statements takes longer than most
/// runs.
// Sendable proof: each thread has its own shelf.
final class DiskShelf: @unchecked Sendable {
    private var free: [DatabaseQueue] = []
    private let collections: [OfflineCollection]
    /// All tables with rows.
    private let tables: [String]

    init(
        _ collections: [OfflineCollection] = SimulatedDisk.collections,
        tables: [String] = [
            "meta", "client", "cursor", "base_row", "outbox", "deferred_row", "conflict", "seen", "note", "draft",
        ]
    ) {
        (self.collections, self.tables) = (collections, tables)
    }

    func take() throws -> DatabaseQueue {
        if let queue = free.popLast() { return queue }
        let queue = try DatabaseQueue()
        try OfflineDatabase.migrate(queue, collections, path: "memory")
        try empty(queue)
        return queue
    }

    func put(_ queue: DatabaseQueue) throws {
        try empty(queue)
        free.append(queue)
    }

    private func empty(_ queue: DatabaseQueue) throws {
        try queue.inDatabase { db in
            for table in tables { try db.cachedStatement(sql: "DELETE FROM \(table)").execute() }
        }
    }
}

final class SimulatedLease: Sendable {}

/// One process on a device. After its end its calls have no effect.
// Sendable proof: only the thread of the scheduler touches it.
final class Life: @unchecked Sendable {
    private(set) var isAlive = true
    var loop: SyncLoop?
    var task: Task<Void, Never>?
    var writes: AsyncStream<Void>.Continuation?

    func end() {
        isAlive = false
        task?.cancel()
        writes?.finish()
    }
}

struct ProcessDied: Error {}

/// Runs database accesses on the caller's thread, and can end the process at one of them.
struct SimulatedGate: DatabaseGate {
    let device: Machine
    let life: Life

    func read<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        await Task.yield()
        await device.thaw()
        guard life.isAlive else { throw ProcessDied() }
        return try device.disk.access(work)
    }

    func endSnapshot() {}

    func write<Value: Sendable>(
        _ kind: WriteKind, _ work: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        // Other tasks may run between two accesses.
        await Task.yield()
        await device.thaw()
        guard life.isAlive else { throw ProcessDied() }
        if device.run.now < device.fullUntil { throw DatabaseError(resultCode: .SQLITE_FULL) }
        let crash = device.crashDue()
        if let crash, !crash.afterCommit {
            device.lose { _ = try work($0) }
            device.crash(life, restart: crash.restart)
            throw ProcessDied()
        }
        // A commit that changes no row leaves nothing to check.
        let before = try device.disk.access(\.totalChangesCount)
        let value = try device.disk.transaction(work)
        if try device.disk.access(\.totalChangesCount) != before { device.committed() }
        if let crash {
            device.crash(life, restart: crash.restart)
            throw ProcessDied()
        }
        return value
    }

    func lease(within limit: Duration, on clock: any Clock<Duration>) async throws -> (any AnyObject & Sendable)? {
        let disk = device.disk
        var waited = Duration.zero
        while true {
            try Task.checkCancellation()
            guard life.isAlive else { throw ProcessDied() }
            if disk.lease == nil || disk.holder?.isAlive != true {
                let lease = SimulatedLease()
                (disk.lease, disk.holder) = (lease, life)
                return lease
            }
            guard waited < limit else { return nil }
            try await clock.sleep(for: .milliseconds(500))
            waited += .milliseconds(500)
        }
    }
}
