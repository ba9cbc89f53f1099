import FoundationEssentials
public import GRDB
public import Logging
public import StrataDomain
import Synchronization

/// The database of one profile: what its user owns, and what is still to be sent.
///
/// Several processes share the file. Every commit is on the disk before it is acknowledged (`synchronous=FULL`; the
/// default of GRDB's pool loses acknowledged commits when the power goes). Blocking work runs on GRDB's own queues.
public final class OfflineDatabase: Sendable {
    public let path: String
    let collections: [String: OfflineCollection]
    let writer: any DatabaseWriter
    let gate: any DatabaseGate
    let log: Logger
    private let wallClock: any WallClock
    private let damage = Mutex<DomainError?>(nil)

    /// How long a connection waits for another process before it gives up.
    static let busyTimeout = Duration.seconds(15)

    /// - Parameter writer: Has the schema of `collections`.
    init(
        path: String, collections: [OfflineCollection], writer: any DatabaseWriter, gate: any DatabaseGate,
        wallClock: any WallClock, log: Logger
    ) {
        self.path = path
        self.collections = Dictionary(collections.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.writer = writer
        self.gate = gate
        self.wallClock = wallClock
        self.log = log
    }

    /// Opens the file, makes it when it is missing (0600, in directories of 0700) and brings its schema up to date.
    ///
    /// - Throws: `.storage` when the place cannot be written, the disk is full, the file is damaged (it stays, a copy is
    ///   put beside it) or was written by a newer version of this program.
    public static func open(
        at path: String, collections: [OfflineCollection], wallClock: any WallClock = SystemWallClock(),
        log: Logger = Logger(label: "strata.offline")
    ) async throws(DomainError) -> OfflineDatabase {
        try await OwnThread.run { () throws(DomainError) in
            do {
                try PrivatePlace.prepare(path)
                // One process at a time: switching to WAL does not wait for others, whatever the busy timeout is.
                guard let lease = try FileLease.acquireBlocking("\(path).open-lock", within: busyTimeout) else {
                    throw DatabaseFault.busy.domainError(at: path)
                }
                defer { withExtendedLifetime(lease) {} }
                let pool = try connect(path)
                try migrate(pool, collections, path: path)
                let database = OfflineDatabase(
                    path: path, collections: collections, writer: pool,
                    gate: PoolGate(pool: pool, lockPath: "\(path).sync-lock"), wallClock: wallClock, log: log)
                try pool.write(database.rebuildMigrated)
                return database
            } catch let error as SystemFailure {
                throw DomainError(file: error, at: path)
            } catch {
                if let error = error as? DatabaseError, case .damaged(let text) = DatabaseFault(error) {
                    throw DamagedDatabase(path: path).report(text, now: wallClock.now)
                }
                throw DomainError(database: error, at: path)
            }
        }
    }

    /// Reads from one consistent state; never waits for a writer or the network.
    public func read<Value: Sendable>(
        _ work: @Sendable (Database) throws -> Value
    ) async throws(DomainError) -> Value {
        do { return try await gate.read(work) } catch { throw await translated(error) }
    }

    /// Runs `work` in one transaction that is on the disk when this returns.
    func write<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws(DomainError) -> Value {
        do { return try await gate.write(work) } catch { throw await translated(error) }
    }

    /// Runs a small `work` in one transaction that is on the disk when this returns; see `DatabaseGate.writeSmall`.
    func writeSmall<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws(DomainError) -> Value {
        do { return try await gate.writeSmall(work) } catch { throw await translated(error) }
    }

    /// Runs `work` in one transaction that need not be on the disk yet; see `DatabaseGate.writeCopy`.
    func writeCopy<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws(DomainError) -> Value {
        do { return try await gate.writeCopy(work) } catch { throw await translated(error) }
    }

    /// Closes all connections; the next access fails. For tests and for an orderly end.
    public func close() async throws(DomainError) {
        do { try await OwnThread.run { [writer] () throws(any Error) in try writer.close() } } catch {
            throw DomainError(database: error, at: path)
        }
    }

    /// A damaged database is closed for good before it is copied, and reported in the same words from then on.
    private func translated(_ error: any Error) async -> DomainError {
        if let known = damage.withLock({ $0 }) { return known }
        guard let error = error as? DatabaseError, case .damaged(let text) = DatabaseFault(error) else {
            return DomainError(database: error, at: path)
        }
        return await OwnThread.run { [self] in
            damage.withLock { known in
                if let known { return known }
                guard (try? writer.close()) != nil else { return DomainError(database: error, at: path) }
                let report = DamagedDatabase(path: path).report(text, now: wallClock.now)
                known = report
                return report
            }
        }
    }
}

extension OfflineDatabase {
    /// Begins the keys in `meta` of collections whose rows are to be made anew.
    private static let rebuild = "rebuild/"

    /// Rows of tables that have just got another schema are made anew from what was agreed: a field that nobody knew until
    /// now has a column.
    private func rebuildMigrated(_ db: Database) throws {
        let keys = try String.fetchAll(db, sql: "SELECT key FROM meta WHERE key LIKE '\(Self.rebuild)%'")
        guard !keys.isEmpty else { return }
        let access = try EntityAccess(db, self, RandomSource(), now: wallClock.now)
        let names = keys.map { String($0.dropFirst(Self.rebuild.count)) }
        _ = try access.repairRows(of: names.filter { collections[$0] != nil })
        try db.execute(sql: "DELETE FROM meta WHERE key LIKE '\(Self.rebuild)%'")
    }

    /// Pages after which the log is copied into the file. A write and its outbox entry change twice the pages of a bare
    /// write, and so this is twice SQLite's own 1000.
    static let pagesInLog = 2000

    private static func connect(_ path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "strata.offline"
        configuration.busyMode = .timeout(busyTimeout / .seconds(1))
        configuration.maximumReaderCount = 4
        let pool = try DatabasePool(path: path, configuration: configuration)
        // After the pool was made, because making it sets NORMAL.
        try pool.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = \(pagesInLog)")
        }
        return pool
    }

    static func migrate(_ pool: any DatabaseWriter, _ collections: [OfflineCollection], path: String) throws {
        var migrator = EngineSchema.migrator
        for collection in collections {
            for migration in collection.migrations {
                migrator.registerMigration("\(collection.name)/\(migration.name)") {
                    try $0.execute(sql: migration.sql)
                    let note = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, '')"
                    try $0.execute(sql: note, arguments: ["\(rebuild)\(collection.name)"])
                }
            }
        }
        if try pool.read(migrator.hasBeenSuperseded) {
            throw DomainError.storage(
                "The database '\(path)' was written by a newer version of this program; update it, or use another "
                    + "profile. Nothing was changed.")
        }
        try migrator.migrate(pool)
        try pool.write(EngineSchema.prepare)
    }
}
