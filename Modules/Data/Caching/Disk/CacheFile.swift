import FoundationEssentials
import GRDB
import GRDBSQLite
import Logging
import StrataConcurrency
import StrataDomain
import StrataSystem

#if !Client && !All
    #error("StrataCaching needs the trait 'Client': name it in 'traits:' where your Package.swift names Strata.")
#endif

/// The connections to the SQLite file of a cache, which several processes share and which may be thrown away at any time.
///
/// The file is opened on first use. A damaged file is deleted, and the next use starts with an empty one. Reads run on the
/// caller's thread, over a connection of their own, so that they do not wait for a write.
final class CacheFile: Sendable {
    private struct State {
        var limit: Int
        var reader: DatabaseQueue?
        var writer: DatabaseQueue?
        /// Counts openings and losses of the file; each makes another version.
        var openings = 0
        var isUnusable = false
        /// The contents of the file must not be read again.
        var mustStartAnew = false

        mutating func close() {
            (reader, writer) = (nil, nil)
            openings += 1
        }
    }

    /// The file was removed or replaced by another process.
    private struct Moved: Error {}

    let folder: CacheFolder
    private let budget: BusyBudget
    private let checkpointBudget = BusyBudget()
    private let logger: Logger
    private let state: Mutex<State>

    /// - Parameter budget: Of the waits of writes for other processes.
    init(_ folder: CacheFolder, limit: Int, budget: BusyBudget = BusyBudget(), logger: Logger) {
        self.folder = folder
        self.budget = budget
        self.logger = logger
        state = Mutex(State(limit: limit))
    }

    var limit: Int { state.withLock(\.limit) }

    var isOpen: Bool { state.withLock { $0.reader != nil } }

    /// Another number after each change, by this process or another; `nil` where the file cannot be used, `0` in the low half
    /// before it is open.
    var version: Int? {
        let version = read { database in
            if Self.isMoved(database) { throw Moved() }
            return try Int.fetchOne(database.cachedStatement(sql: "PRAGMA data_version"))
        }
        return state.withLock { $0.isUnusable ? nil : $0.openings << 32 | (version ?? 0) }
    }

    // MARK: - Access

    /// - Returns: `nil` where nothing is found, or where the file is not open or cannot be read.
    func read<Result>(_ body: (Database) throws -> Result?) -> Result? {
        guard let reader = state.withLock({ $0.reader }) else { return nil }
        do { return try reader.unsafeRead(body) } catch {
            lose(error)
            return nil
        }
    }

    /// Writes in one transaction. One call at a time.
    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        do {
            let writer = try openWriter()
            let result = try writer.write(body)
            budget.refill()
            // Where several processes write all the time, SQLite's own checkpoints do not end the log.
            if folder.logBytes > CacheFileSettings.logBytes(of: limit) / 2 { shortenLog(writer) }
            return result
        } catch {
            lose(error)
            throw error
        }
    }

    /// Moves the log into the database and empties it.
    ///
    /// A checkpoint of another connection makes this one busy at once, without its wait (sqlite.org/c3ref/wal_checkpoint_v2.html).
    /// That one needs the write lock, and would not get it from a connection that goes on writing.
    private func shortenLog(_ writer: DatabaseQueue) {
        do {
            repeat {
                let isBusy = try writer.writeWithoutTransaction {
                    try Bool.fetchOne($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                }
                guard isBusy == true else { return checkpointBudget.refill() }
            } while checkpointBudget.mayWait()
        } catch { logger.info("the log of the cache was not shortened", metadata: ["reason": "\(error)"]) }
    }

    // MARK: - The file as a whole

    /// Deletes everything; the next use starts with an empty file.
    func clear() throws(DomainError) {
        state.withLock { state in
            state.mustStartAnew = true
            state.close()
        }
        do { try startAnew() } catch {
            throw .storage("The cache in '\(folder.path)' cannot be cleared: \(error) Remove that directory by hand.")
        }
    }

    /// Takes over another limit, and gives free pages back.
    func resize(to bytes: Int) throws {
        state.withLock { $0.limit = max(0, bytes) }
        guard bytes >= CacheFileSettings.leastBytes else { return try clear() }
        let writer = try openWriter()
        try writer.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA incremental_vacuum")
            try settings.apply(to: database)
        }
        shortenLog(writer)
    }

    private var settings: CacheFileSettings { CacheFileSettings(limit: limit, budget: budget) }

    /// Opens the file for reads.
    func open() {
        guard limit >= CacheFileSettings.leastBytes, !isOpen else { return }
        do {
            do { try connect() } catch  where Self.isDamage(error) {
                lose(error)
                try connect()
            }
        } catch {
            lose(error)
            state.withLock { $0.isUnusable = true }
        }
    }

    private func openWriter() throws -> DatabaseQueue {
        if let reader = state.withLock({ $0.reader }), reader.unsafeRead(Self.isMoved) { lose(Moved()) }
        open()
        let (isOpen, opened) = state.withLock { ($0.reader != nil, $0.writer) }
        guard isOpen else { throw CacheFolder.Unusable(description: "'\(folder.path)' cannot be opened.") }
        if let opened { return opened }
        let writer = try DatabaseQueue(
            path: folder.database, configuration: settings.configuration)
        state.withLock { $0.writer = writer }
        return writer
    }

    private func connect() throws {
        if state.withLock({ $0.mustStartAnew }) { try startAnew() }
        let settings = settings
        try folder.prepare { try settings.create($0) }
        let reader = try DatabaseQueue(path: folder.database, configuration: settings.configuration)
        let version = try reader.unsafeRead { try Int.fetchOne($0, sql: "PRAGMA user_version") }
        guard version == CacheFileSettings.schemaVersion else { throw RecordTable.Damaged() }
        state.withLock { state in
            state.close()
            state.reader = reader
            state.isUnusable = false
        }
    }

    private func startAnew() throws {
        try folder.discard()
        state.withLock { $0.mustStartAnew = false }
    }

    // MARK: - Failures

    /// Closes the connections after a failure; a damaged file is deleted with the next opening.
    private func lose(_ error: any Error) {
        if Self.isDamage(error) {
            logger.warning("the cache file is damaged and made anew", metadata: ["path": "\(folder.path)"])
            state.withLock { state in
                // Another process may have replaced it already.
                let isMoved = state.reader?.unsafeRead(Self.isMoved) ?? false
                if !isMoved { state.mustStartAnew = true }
            }
        } else if !(error is Moved) {
            logger.info("the cache on disk was not used", metadata: ["reason": "\(error)"])
            let code = (error as? DatabaseError)?.resultCode
            if code == .SQLITE_BUSY || code == .SQLITE_FULL { return }
        }
        state.withLock { $0.close() }
    }

    /// Whether the file itself is damaged or foreign. A file that is busy, full or not readable may be healthy.
    static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is RecordTable.Damaged }
        let harmless: [ResultCode] = [
            .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY,
            .SQLITE_NOMEM, .SQLITE_PERM, .SQLITE_INTERRUPT, .SQLITE_ABORT, .SQLITE_PROTOCOL,
        ]
        return !harmless.contains(error.resultCode)
    }

    private static func isMoved(_ database: Database) -> Bool {
        var isMoved: CInt = 0
        return sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &isMoved) == SQLITE_OK
            && isMoved != 0
    }
}
