import FoundationEssentials
import GRDB
public import Logging
import StrataConcurrency
public import StrataService
import StrataSystem

/// The store port on one SQLite file, for a service on one machine.
///
/// Reads run in parallel on snapshots, writes one after the other. When `write` returns, the commit is on disk in the file at
/// the path: the write-ahead log uses `synchronous=FULL`, and the path is checked after each commit.
public final class SQLiteStore: Store {
    let path: String
    let pool: DatabasePool
    private let lock: ServerLock?
    /// Lets a check and the close run one after the other: each opens or closes connections to the file.
    private let turn = FairSemaphore(permits: 1)
    private let watch: DatabaseWatch
    private let scan: IntegrityScan
    private let reads: ReadConnections
    private let writes: WriteQueue
    private let logger: Logger

    private init(
        _ pool: DatabasePool, path: String, realPath: String, lock: ServerLock?, logger: Logger, groupTime: Duration
    ) {
        self.path = path
        self.pool = pool
        self.lock = lock
        self.logger = logger
        watch = DatabaseWatch(path: path, realPath: realPath, logger: logger)
        scan = IntegrityScan(path: realPath)
        reads = ReadConnections(path: realPath, watch: watch)
        writes = WriteQueue(pool, watch: watch, groupTime: groupTime)
    }

    /// Opens the database. Creates a missing one with mode 0600, and missing directories with mode 0700.
    ///
    /// - Parameters:
    ///   - exclusive: Fails when another server has the file open, and checks a file of up to 512 MiB for damage. Commands
    ///     beside a running server pass `false`. Default `true`.
    ///   - creates: Whether a missing database is created. Default `true`.
    ///   - logger: Logs later loss or damage of the file. Default: label `store`.
    /// - Throws: `StoreError.unavailable` with a sentence that names the file; `.failed` for a file that is not a database or
    ///   is damaged.
    public static func open(
        _ location: SQLiteLocation, exclusive: Bool = true, creates: Bool = true,
        logger: Logger = Logger(label: "store")
    ) async throws -> SQLiteStore {
        guard creates || Stat.size(at: location.path) != nil else {
            throw StoreError.unavailable("There is no database at '\(location.path)'; check the path.")
        }
        return try await open(location, exclusive: exclusive, logger: logger) { usleep(10_000) }
    }

    /// - Parameters:
    ///   - groupTime: How long a write waits for others that join its transaction. Default: 2 ms.
    ///   - pause: Called between two attempts while another process changes the file, on a thread that may block.
    package static func open(
        _ location: SQLiteLocation, exclusive: Bool = true, logger: Logger = Logger(label: "store"),
        groupTime: Duration = .milliseconds(2), pause: @escaping @Sendable () -> Void
    ) async throws -> SQLiteStore {
        try await runBlocking {
            let path = location.path
            let realPath = try DatabaseFile.prepare(path)
            let lock = exclusive ? try ServerLock(database: realPath, name: path) : nil
            do {
                let store = SQLiteStore(
                    try pool(at: realPath, pause), path: path, realPath: realPath, lock: lock, logger: logger,
                    groupTime: groupTime)
                if exclusive, Stat.size(at: path) ?? 0 <= IntegrityScan.largestAtStart, let flaw = try store.scan.flaw()
                {
                    throw damaged(path, flaw)
                }
                return store
            } catch let error as DatabaseError {
                throw opening(error, path)
            }
        }
    }

    /// Retries while another process opens the same new file: during its switch to write-ahead logging, SQLite fails without
    /// calling the busy handler.
    private static func pool(at path: String, _ pause: () -> Void) throws -> DatabasePool {
        let end = ContinuousClock.now + .seconds(10)
        while true {
            do {
                let pool = try DatabasePool(path: path, configuration: configuration)
                // GRDB's set-up of the write-ahead log sets NORMAL, which loses commits on power loss.
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
        configuration.busyMode = .timeout(Double(SQLiteConnection.patience) / 1000)
        // For the check of the schema; `ReadConnections` has those of the service.
        configuration.maximumReaderCount = 1
        return configuration
    }

    private static func opening(_ error: DatabaseError, _ path: String) -> StoreError {
        switch error.resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT: damaged(path, error.message ?? "unreadable")
        default: .unavailable("Cannot open the database '\(path)': \(error.message ?? "\(error.resultCode)").")
        }
    }

    private static func damaged(_ path: String, _ flaw: String) -> StoreError {
        .failed("'\(path)' is damaged or no database (\(flaw)); put a backup in its place, or choose another file.")
    }

    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await watch.mapping { try await reads.read(body) }
    }

    /// - Throws: `StoreError.unavailable` also when the file is known to be removed, replaced or damaged after the commit.
    @discardableResult public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await watch.mapping { try await writes.run(body) }
    }

    /// Checks the file for damage when a scan is due. After damage every write fails.
    public func inspect() async throws {
        try await turn.withPermit {
            try await runBlocking { [watch, scan] in
                guard watch.fault == nil, let flaw = try watch.mapping({ try scan.flaw() }) else { return }
                watch.noteDamage(flaw)
            }
        }
    }

    public var samples: [MetricSample] { watch.samples }
}

extension SQLiteStore {
    /// - Throws: `StoreError.failed` for a database that a newer program migrated, or that lacks a table, index or column of
    ///   its migrations.
    public func migrate(_ migrations: [StoreMigration]) async throws {
        let applied = try await write { transaction in
            try transaction.execute(
                """
                CREATE TABLE IF NOT EXISTS schema_migration (
                    name TEXT NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)
                """)
            return Set(try transaction.rows("SELECT name FROM schema_migration").map { try $0.text("name") })
        }
        try migrations.requireKnown(applied, in: path)
        for migration in migrations where !applied.contains(migration.name) {
            try await write { transaction in
                let name = migration.name
                // Another process may have applied it.
                guard try transaction.row("SELECT name FROM schema_migration WHERE name = \(name)") == nil else {
                    return
                }
                for statement in migration.statements { try transaction.execute(Statement(stringLiteral: statement)) }
                try transaction.execute(
                    "INSERT INTO schema_migration (name, applied_at) VALUES (\(name), \(Date()))")
            }
        }
        try await watch.mapping {
            try await pool.read { [path] database in
                try SchemaCheck.requireComplete(database, after: migrations, at: path)
            }
            // The savepoints of a group: from 64 KiB, which is 15 pages, SQLite keeps their pages in a file of /var/tmp. Not
            // during migrations, because these sort whole tables.
            try await pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA temp_store = MEMORY") }
        }
    }

    /// Closes every connection and releases the server lock; later calls fail. The write-ahead log is then merged into the file
    /// and removed, unless another process has the database open.
    public func close() async throws {
        scan.stop()
        try await turn.withPermit {
            await reads.close()
            try await runBlocking { [pool, lock, watch, logger, path, writes] in
                let isSound = watch.fault == nil
                // A second call has nothing to close.
                guard watch.close() else { return }
                if isSound {
                    do {
                        _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
                    } catch let error as DatabaseError {
                        // Nothing is lost: the next start reads the log.
                        logger.warning(
                            "the write-ahead log could not be moved into the database; a copy needs both files until the next start",
                            metadata: ["database": "\(path)", "error": "\(error.resultCode)"])
                    }
                }
                // The last connection to close removes the log, which a read-only one cannot.
                pool.invalidateReadOnlyConnections()
                pool.writeWithoutTransaction { _ in writes.forgetStatements() }
                try pool.close()
                lock?.release()
                if let size = watch.logSize {
                    // Beside a running server this is expected.
                    logger.log(
                        level: lock == nil ? .debug : .notice,
                        "another process has the database open; the write-ahead log stays until that one ends",
                        metadata: ["database": "\(path)", "bytes": "\(size)"])
                }
            }
        }
    }
}
