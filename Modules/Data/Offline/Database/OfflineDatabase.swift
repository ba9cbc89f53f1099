import FoundationEssentials
public import GRDB
public import Logging
import StrataConcurrency
public import StrataDomain
import StrataSystem

/// The database of one profile: the rows of its user, and the writes that wait for the server.
///
/// Several processes share the file. Every commit is on the disk before it is acknowledged (`synchronous=FULL`; the
/// default of GRDB's pool loses acknowledged commits when the power goes). Blocking work runs on GRDB's own queues.
public final class OfflineDatabase: Sendable {
    /// Where the database is.
    public let path: String
    let collections: [String: OfflineCollection]
    let writer: any DatabaseWriter
    let gate: any DatabaseGate
    let log: Logger
    private let wallClock: any WallClock
    /// Why the file cannot be written, with the next step; reads work. `nil` when it can be written.
    public let obstacle: DomainError?
    /// Whether an earlier file is missing, and this is a new one in its place.
    public let replacesLost: Bool
    private let damage = Mutex<DomainError?>(nil)
    /// The id of the account that `claim` was called with. All writes belong to that account.
    let claimant = Mutex<String?>(nil)

    /// How long a connection waits for another process before it gives up.
    static let busyTimeout = Duration.seconds(15)

    /// - Parameter writer: Has the schema of `collections`.
    init(
        path: String, collections: [OfflineCollection], writer: any DatabaseWriter, gate: any DatabaseGate,
        wallClock: any WallClock, log: Logger, obstacle: DomainError? = nil, replacesLost: Bool = false
    ) {
        self.path = path
        self.collections = Dictionary(collections.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.writer = writer
        self.gate = gate
        self.wallClock = wallClock
        self.log = log
        self.obstacle = obstacle
        self.replacesLost = replacesLost
    }

    /// Opens the file, creates it when it is missing (0600, in directories of 0700) and brings its schema up to date.
    ///
    /// A file that cannot be written, or in which damage is known, is opened for reading, where that works: `obstacle`.
    ///
    /// - Throws: `.storage` when the place cannot be written, the disk is full, the file is damaged (it stays, a copy is
    ///   put beside it) or emptied, or was written by a newer version of this program.
    public static func open(
        at path: String, collections: [OfflineCollection], wallClock: any WallClock = SystemWallClock(),
        log: Logger = Logger(label: "strata.offline")
    ) async throws(DomainError) -> OfflineDatabase {
        try await open(at: path, collections: collections, isShared: false, wallClock: wallClock, log: log)
    }

    /// - Parameter isShared: Whether the file may have the tables and migrations of an app too.
    static func open(
        at path: String, collections: [OfflineCollection], isShared: Bool, wallClock: any WallClock, log: Logger
    ) async throws(DomainError) -> OfflineDatabase {
        try await runBlocking { () throws(DomainError) in
            func database(
                _ writer: any DatabaseWriter, _ gate: any DatabaseGate, obstacle: DomainError? = nil,
                replacesLost: Bool = false
            ) -> OfflineDatabase {
                OfflineDatabase(
                    path: path, collections: collections, writer: writer, gate: gate, wallClock: wallClock, log: log,
                    obstacle: obstacle, replacesLost: replacesLost)
            }
            func forReading(_ obstacle: DomainError) throws(DomainError) -> OfflineDatabase {
                guard let queue = try? reading(path, collections, isShared: isShared) else { throw obstacle }
                return database(queue, ReadOnlyGate(queue: queue, obstacle: obstacle), obstacle: obstacle)
            }

            if let text = DamageRecord(path: path).text(unless: { isSound(path) }) {
                return try forReading(DamagedDatabase(path: path).report(text, now: wallClock.now))
            }
            let fault: DatabaseFault
            do {
                let (pool, isNew) = try writing(path, collections, isShared: isShared)
                let opened = database(
                    pool,
                    PoolGate(
                        pool: pool, lockPath: syncLock(of: path), erases: collections.contains(where: \.isInSpaces)),
                    replacesLost: isNew)
                try opened.rebuildMigrated(pool)
                return opened
            } catch let error as Errno {
                fault = DatabaseFault(error)
            } catch let error as DatabaseError {
                fault = DatabaseFault(error)
            } catch {
                throw DomainError(database: error, at: path)
            }
            if case .damaged(let text) = fault {
                DamageRecord(path: path).keep(text)
                throw DamagedDatabase(path: path).report(text, now: wallClock.now)
            }
            guard fault.leavesReading else { throw fault.domainError(at: path) }
            return try forReading(fault.domainError(at: path))
        }
    }

    /// Reads from one consistent state; never waits for a writer or the network.
    public func read<Value: Sendable>(
        _ work: @Sendable (Database) throws -> Value
    ) async throws(DomainError) -> Value {
        do { return try await gate.read(work) } catch { throw await translated(error) }
    }

    /// Runs `work` in one transaction.
    func write<Value: Sendable>(
        _ kind: WriteKind = .usual, _ work: @Sendable (Database) throws -> Value
    ) async throws(DomainError) -> Value {
        try refuseDamaged()
        do { return try await gate.write(kind, work) } catch { throw await translated(error) }
    }

    /// Closes all connections; the next access fails. For tests, and for a process that drains.
    public func close() async throws(DomainError) {
        let erases = obstacle == nil && collections.values.contains(where: \.isInSpaces)
        do {
            try await runBlocking { [writer] () throws(any Error) in
                // The log still has what was erased. While another connection reads it, that one truncates it when it closes.
                if erases {
                    try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
                }
                try writer.close()
            }
        } catch {
            throw DomainError(database: error, at: path)
        }
    }

    /// Another process may have found damage since this one opened the file.
    private func refuseDamaged() throws(DomainError) {
        if obstacle != nil || !DamageRecord(path: path).isThere { return }
        if let known = damage.withLock({ $0 }) { throw known }
        throw .storage(
            "Another process has just found damage in the database '\(path)'; nothing was written. Start the program "
                + "again: it says what to do.")
    }

    /// A damaged database is closed before it is copied. Every later access throws the same error.
    private func translated(_ error: any Error) async -> DomainError {
        if let known = damage.withLock({ $0 }) { return known }
        guard let error = error as? DatabaseError, case .damaged(let text) = DatabaseFault(error) else {
            return DomainError(database: error, at: path)
        }
        return await runBlocking { [self] in
            damage.withLock { known in
                if let known { return known }
                guard (try? writer.close()) != nil else { return DomainError(database: error, at: path) }
                // A reader without locks may see a half-written page: that is no damage.
                if obstacle == nil { DamageRecord(path: path).keep(text) }
                let report = DamagedDatabase(path: path).report(text, now: wallClock.now)
                known = report
                return report
            }
        }
    }
}

extension OfflineDatabase {
    /// Prefix of the keys in `meta` that name collections whose rows must be derived again.
    private static let rebuild = "rebuild/"

    /// Derives the rows of migrated tables again from their base rows, so that a new column gets the value of its field.
    func rebuildMigrated(_ pool: DatabasePool) throws {
        let asked = "SELECT key FROM meta WHERE key LIKE '\(Self.rebuild)%'"
        // Reads first: a write waits for other processes.
        guard try pool.read({ try String.fetchOne($0, sql: asked) }) != nil else { return }
        try pool.write { db in
            let access = try self.access(db, RandomSource(), now: wallClock.now)
            let names = try String.fetchAll(db, sql: asked).map { String($0.dropFirst(Self.rebuild.count)) }
            for name in names { try access.renewFields(of: name) }
            _ = try access.repairRows(of: names.filter { collections[$0] != nil })
            // Rows of another API were stored with the fields that the entity had: the next pull compares all of them again.
            for name in names {
                try access.remotes.forgetRevisions(of: name)
                try db.execute(
                    sql: "UPDATE remote_place SET checkpoint = NULL, listed_at = NULL WHERE collection = ?",
                    arguments: [name])
            }
            try db.execute(sql: "DELETE FROM meta WHERE key LIKE '\(Self.rebuild)%'")
        }
    }

    /// Pages after which the log is copied into the file: twice SQLite's default of 1000, because a write and its outbox entry
    /// change twice the pages of a bare write.
    static let pagesInLog = 2000

    /// Locked by the process that synchronises. It is created with the first schema, so it also shows that there was a
    /// database.
    private static func syncLock(of path: String) -> String { "\(path).sync-lock" }

    /// - Returns: Whether the file was missing where one had been.
    private static func writing(
        _ path: String, _ collections: [OfflineCollection], isShared: Bool
    ) throws -> (pool: DatabasePool, isNew: Bool) {
        let wasHere = Stat.size(at: syncLock(of: path)) != nil
        // The log first: another process may be creating both now, and creates the file first.
        if Stat.size(at: "\(path)-wal") ?? 0 > 0, Stat.size(at: path) == nil {
            throw DomainError.storage(
                "The database '\(path)' is missing, but its log '\(path)-wal' is there. Put the database back from where "
                    + "it was moved to, or move the log away too to begin a new one.")
        }
        let isMade = try PrivateFile.create(path)
        // One process at a time: switching to WAL does not wait for others, whatever the busy timeout is.
        guard let lock = try FileLock.acquireBlocking("\(path).open-lock", within: busyTimeout) else {
            throw DatabaseFault.busy.domainError(at: path, obstacle: nil)
        }
        defer { lock.unlock() }
        if !isMade, wasHere, Stat.size(at: path) == 0 {
            throw DomainError.storage(
                "The database '\(path)' is empty (0 bytes), but it held rows before. Put it back from a copy if there "
                    + "is one. To begin a new one, move '\(path)' away and start the program again: what the server has "
                    + "comes back with the next synchronisation.")
        }
        let pool = try connect(path, erasing: collections.contains(where: \.isInSpaces))
        try migrate(pool, collections, isShared: isShared, path: path)
        if !wasHere { _ = try FileLock.attempt(syncLock(of: path)) }
        return (pool, isMade && wasHere)
    }

    /// - Throws: When the file cannot be read, or not with this version of the program.
    private static func reading(
        _ path: String, _ collections: [OfflineCollection], isShared: Bool
    ) throws -> DatabaseQueue {
        guard Stat.size(at: path) ?? 0 > 0 else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
        let queue = try ReadOnlyAccess(at: path).queue(at: path)
        let migrator = migrator(collections)
        let isCurrent = try queue.read {
            try migrator.hasCompletedMigrations($0) && !isSuperseded(migrator, collections, isShared: isShared, $0)
        }
        guard isCurrent else { throw DatabaseError(resultCode: .SQLITE_READONLY) }
        return queue
    }

    /// Whether SQLite finds the structure of the file sound. Reads all of it.
    private static func isSound(_ path: String) -> Bool {
        (try? ReadOnlyAccess(at: path).queue(at: path).read { try fault(in: $0) == nil }) ?? false
    }

    /// - Returns: `nil` when the structure is sound.
    private static func fault(in db: Database) throws -> String? {
        let found = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "ok"
        // Its first line names the database.
        return found == "ok" ? nil : found.split(separator: "\n").last.map(String.init) ?? found
    }

    /// Reads the whole file and checks its structure. Takes seconds for a million rows.
    ///
    /// - Throws: `.storage` for a damaged file, as every later access, and for entries of the outbox that cannot be read.
    public func check() async throws(DomainError) {
        do {
            try await gate.read { db in
                if let fault = try Self.fault(in: db) {
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: fault)
                }
                let last = try Int.fetchOne(db, sql: "SELECT last_seq FROM client") ?? 0
                guard last <= EntityAccess.lastPosition else { throw EntityAccess.noPosition }
                let damages = try EntityTables(db: db).damages()
                guard let first = damages.first else { return }
                let others = damages.count > 1 ? " So are \(damages.count - 1) more." : ""
                throw DomainError.storage("\(first)\(others)")
            }
        } catch { throw await translated(error) }
    }

    /// - Parameter erases: Whether deleted rows are overwritten: an ended membership leaves no text in free pages.
    private static func connect(_ path: String, erasing erases: Bool) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "strata.offline"
        configuration.prepareDatabase { BusyWaiting.begin($0) }
        configuration.maximumReaderCount = 4
        let pool = try DatabasePool(path: path, configuration: configuration)
        // After the pool was made, because making it sets NORMAL.
        try pool.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = \(pagesInLog)")
            if erases { try $0.execute(sql: "PRAGMA secure_delete = ON") }
        }
        return pool
    }

    private static func migrator(_ collections: [OfflineCollection]) -> DatabaseMigrator {
        var migrator = EngineSchema.migrator
        for collection in collections {
            for migration in collection.migrations {
                migrator.registerMigration("\(collection.name)/\(migration.name)") {
                    if !migration.sql.isEmpty { try $0.execute(sql: migration.sql) }
                    let note = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, '')"
                    try $0.execute(sql: note, arguments: ["\(rebuild)\(collection.name)"])
                }
            }
        }
        return migrator
    }

    /// Whether a newer program has added migrations. Those of an app in the same file do not count.
    private static func isSuperseded(
        _ migrator: DatabaseMigrator, _ collections: [OfflineCollection], isShared: Bool, _ db: Database
    ) throws -> Bool {
        let known = Set(migrator.migrations)
        let prefixes = ["offline/"] + collections.map { "\($0.name)/" }
        return try migrator.appliedIdentifiers(db).contains { name in
            !known.contains(name) && !known.contains(removal(after: name))
                && (!isShared || prefixes.contains { name.hasPrefix($0) })
        }
    }

    /// The step that removes the field of an earlier step: `notes/history-level-removed` for `notes/history-level-required`.
    private static func removal(after step: String) -> String {
        let parts = step.split(separator: "-", maxSplits: 2)
        return parts.count == 3 ? "\(parts[0])-\(parts[1])-removed" : step
    }

    static func migrate(
        _ pool: any DatabaseWriter, _ collections: [OfflineCollection], isShared: Bool = false, path: String
    ) throws {
        let migrator = migrator(collections)
        let (isSuperseded, isComplete) = try pool.read { db in
            (
                try Self.isSuperseded(migrator, collections, isShared: isShared, db),
                try migrator.hasCompletedMigrations(db) && EngineSchema.isPrepared(db)
            )
        }
        if isSuperseded {
            throw DomainError.storage(
                "The database '\(path)' was written by a newer version of this program, or by one from before its first "
                    + "release; update the program, or use another profile. Nothing was changed.")
        }
        // Reads first: a write waits for other processes.
        if isComplete { return }
        if isShared { try pool.read { try refuseForeignTables($0, path: path) } }
        try migrator.migrate(pool)
        try pool.write(EngineSchema.prepare)
    }
}
