import FoundationEssentials
import GRDB
public import StrataService

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The store port on one SQLite file, for a service on one machine.
///
/// Reads run side by side on snapshots, writes one after the other. A commit is on disk when `write` returns:
/// write-ahead log with `synchronous=FULL`.
public final class SQLiteStore: Store {
    private let pool: DatabasePool
    private let lock: ServerLock?
    private let worker: BlockingPool

    private init(pool: DatabasePool, lock: ServerLock?, worker: BlockingPool) {
        self.pool = pool
        self.lock = lock
        self.worker = worker
    }

    /// Opens the database, and creates it (0600, in directories of 0700) when it is missing.
    ///
    /// - Parameter exclusive: Refuses when another server has the file. Short-lived tools beside a running server pass
    ///   `false`. Default `true`.
    /// - Throws: `StoreError.unavailable` with a sentence that names the file; `.failed` for one that is no database.
    public static func open(_ location: SQLiteLocation, exclusive: Bool = true) async throws -> SQLiteStore {
        try await open(location, exclusive: exclusive) { usleep(10_000) }
    }

    /// - Parameter pause: Called on a thread that may block, between two tries at a file that another process is about to
    ///   change.
    package static func open(
        _ location: SQLiteLocation, exclusive: Bool = true, pause: @escaping @Sendable () -> Void
    ) async throws -> SQLiteStore {
        let worker = BlockingPool(threads: 1, queueLimit: 4)
        return try await worker.run {
            let path = location.path
            try DatabaseFile.prepare(path)
            let lock = exclusive ? try ServerLock(database: path) : nil
            do {
                return SQLiteStore(pool: try pool(at: path, pause), lock: lock, worker: worker)
            } catch let error as DatabaseError {
                throw opening(error, path)
            }
        }
    }

    /// Waits for a process that opens the same new file: while that one switches it to the log, SQLite turns others away
    /// without asking the busy handler.
    private static func pool(at path: String, _ pause: () -> Void) throws -> DatabasePool {
        let end = ContinuousClock.now + .seconds(10)
        while true {
            do {
                let pool = try DatabasePool(path: path, configuration: configuration)
                // The pool's own set-up of the write-ahead log turns this to NORMAL, which loses commits on power loss.
                try pool.writeWithoutTransaction { database in
                    try database.execute(sql: "PRAGMA synchronous = FULL")
                }
                return pool
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end {
                pause()
            }
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 4
        return configuration
    }

    private static func opening(_ error: DatabaseError, _ path: String) -> StoreError {
        switch error.resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            .failed(
                "'\(path)' is damaged or no database (\(error.message ?? "unreadable")); "
                    + "put a backup in its place, or choose another file.")
        default: .unavailable("Cannot open the database '\(path)': \(error.message ?? "\(error.resultCode)").")
        }
    }

    /// Ends every connection and lets another server in; calls that come later fail.
    public func close() async throws {
        try await worker.run { [pool, lock] in
            try pool.close()
            lock?.release()
        }
    }

    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await StoreError.mapping {
            try await pool.read { database in try body(SQLiteConnection(database: database)) }
        }
    }

    @discardableResult public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await StoreError.mapping {
            try await pool.writeWithoutTransaction { database in
                var result: Result?
                try database.inTransaction(.immediate) {
                    result = try body(SQLiteConnection(database: database))
                    return .commit
                }
                guard let result else { throw StoreError.failed("a transaction ended without a result") }
                return result
            }
        }
    }

    public func migrate(_ migrations: [StoreMigration]) async throws {
        try await write { transaction in
            _ = try transaction.execute(
                """
                CREATE TABLE IF NOT EXISTS schema_migration (
                    name TEXT NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)
                """)
        }
        for migration in migrations {
            try await write { transaction in
                let name = migration.name
                guard try transaction.row("SELECT name FROM schema_migration WHERE name = \(name)") == nil else {
                    return
                }
                for statement in migration.statements { try transaction.execute(Statement(stringLiteral: statement)) }
                try transaction.execute(
                    "INSERT INTO schema_migration (name, applied_at) VALUES (\(name), \(Date()))")
            }
        }
    }
}
