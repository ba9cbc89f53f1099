import Dispatch
import FoundationEssentials
import GRDB
import GRDBSQLite
import Logging
import StrataConcurrency
import StrataDomain
import StrataSystem

/// Records in an SQLite file that several processes share and that may be thrown away at any time.
///
/// A damaged file is deleted, and the next use starts with an empty one. Nothing but `clear` throws: a read that fails is a
/// miss, and a write that fails is lost. A removal that fails deletes the file, so that nothing removed is read again.
///
/// Reads run on the caller's thread, over a connection of their own, so that they do not wait for a write. Changes run one
/// at a time on a queue. The file is opened on first use.
final class DiskTier: Sendable {
    private struct State {
        var limit: Int
        var reader: DatabaseQueue?
        var writer: DatabaseQueue?
        /// Counts openings and losses of the file; each makes another version.
        var openings = 0
        var isUnusable = false
        /// What the file holds must not be read again.
        var mustStartAnew = false
        var damages = 0
        /// Rows that were read since the last write.
        var touched: Set<Int64> = []

        mutating func close() {
            (reader, writer) = (nil, nil)
            openings += 1
        }
    }

    let clock: any WallClock
    let logger: Logger
    private let folder: CacheFolder
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "strata.cache.disk")
    /// Owner of the leases that are taken through this tier.
    let owner = UUID().uuidString

    /// A write waits so often for another process: two seconds in all.
    private static let mostWaits = 1000
    private static let waitMilliseconds: UInt32 = 2
    private static let attempts = 3
    /// Marked with one write.
    private static let mostTouched = 64
    /// A disk that damages every new file is not used any more.
    private static let mostDamages = 3
    /// Less than this keeps nothing on disk.
    private static let leastBytes = 256 << 10

    init(_ folder: CacheFolder, limit: Int, clock: any WallClock, logger: Logger) {
        self.folder = folder
        self.clock = clock
        self.logger = logger
        state = Mutex(State(limit: limit))
    }

    // MARK: - Threads

    /// Reads on the caller's thread where the file is open, on the queue where it must be opened first.
    func reading<Result: Sendable>(_ body: @escaping @Sendable (DiskTier) -> Result) async -> Result {
        if isOpen { return body(self) }
        return await withCheckedContinuation { continuation in
            queue.async {
                self.open()
                continuation.resume(returning: body(self))
            }
        }
    }

    /// Queues a change; changes are done in the order of the calls.
    func change(_ body: @escaping @Sendable (DiskTier) -> Void) { queue.async { body(self) } }

    var isOpen: Bool { state.withLock { $0.reader != nil } }

    /// Another number after each change, by this process or another; `nil` where the disk cannot be used.
    func version() -> Int? {
        if isOpen {
            let version = read { database in
                if Self.isMoved(database) { throw Moved() }
                return try Int.fetchOne(database.cachedStatement(sql: "PRAGMA data_version"))
            }
            if let version { return state.withLock { $0.openings << 32 | version } }
        }
        queue.async { self.open() }
        return state.withLock { $0.isUnusable ? nil : $0.openings << 32 }
    }

    // MARK: - Access

    /// - Returns: `nil` where nothing is found, or where the file cannot be read.
    func read<Result>(_ body: (Database) throws -> Result?) -> Result? {
        guard let reader = state.withLock({ $0.reader }) else { return nil }
        do { return try reader.unsafeRead(body) } catch {
            lose(error)
            return nil
        }
    }

    func note(_ row: Int64) {
        state.withLock { if $0.touched.count < Self.mostTouched { $0.touched.insert(row) } }
    }

    /// Writes in one transaction. Called on the queue.
    ///
    /// - Returns: `nil` where it failed.
    func write<Result>(_ body: (Database) throws -> Result) -> Result? {
        for isLast in [false, true] {
            do { return try writing(body) } catch {
                lose(error)
                // A damaged file is new at the second attempt.
                if isLast || !Self.isDamage(error) { return nil }
            }
        }
        return nil
    }

    private func writing<Result>(_ body: (Database) throws -> Result) throws -> Result {
        let writer = try opened()
        let result = try writer.write(body)
        // Where several processes write all the time, SQLite's own checkpoints do not end the log.
        if folder.logBytes > Self.logBytes(of: state.withLock { $0.limit }) / 2 { try? shortenLog(writer) }
        return result
    }

    /// Moves the log into the database and empties it.
    ///
    /// A checkpoint of another connection makes this one busy at once, without its wait (sqlite.org/c3ref/wal_checkpoint_v2.html).
    /// That one needs the write lock, and would not get it from a connection that goes on writing.
    private func shortenLog(_ writer: DatabaseQueue) throws {
        for _ in 0..<Self.mostWaits {
            let isBusy = try writer.writeWithoutTransaction {
                try Bool.fetchOne($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            guard isBusy == true else { return }
            pauseThread(milliseconds: Self.waitMilliseconds)
        }
    }

    /// Removes in one transaction; if that fails, the whole file goes.
    func removing(_ body: (Database) throws -> Void) {
        guard isUseful else { return }
        for _ in 0..<Self.attempts {
            do { return try writing(body) } catch {
                if error is CacheFolder.Unusable { return lose(error) }
                guard (error as? DatabaseError)?.resultCode == .SQLITE_BUSY else { break }
            }
        }
        logger.warning(
            "a removal did not reach the cache on disk, whose file is deleted", metadata: ["path": "\(folder.path)"])
        do { try clear() } catch { logger.warning("the cache was not cleared", metadata: ["reason": "\(error)"]) }
    }

    /// Stores in one transaction after making room for `bytes`, and marks what was read since the last one.
    func storing<Result>(_ bytes: Int, _ body: (Database) throws -> Result) -> Result? {
        let (touched, limit) = state.withLock { state in
            defer { state.touched = [] }
            return (state.touched, state.limit)
        }
        return write { database in
            try RecordTable.touch(touched, in: database)
            try RecordTable.makeRoom(for: bytes, below: Self.databaseBytes(of: limit), at: clock.now, in: database)
            return try body(database)
        }
    }

    /// Whether the limit allows for a file at all.
    var isUseful: Bool { state.withLock { $0.limit >= Self.leastBytes } }
    /// One record may take this much, so that a huge one cannot push out all others.
    var mostBytesOfOneRecord: Int { state.withLock { $0.limit / 4 } }

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

    func resize(to bytes: Int) {
        state.withLock { $0.limit = max(0, bytes) }
        guard isUseful else {
            do { try clear() } catch { logger.warning("the cache was not cleared", metadata: ["reason": "\(error)"]) }
            return
        }
        let limit = Self.databaseBytes(of: bytes)
        _ = write { try RecordTable.makeRoom(for: 0, below: limit, at: clock.now, in: $0) }
        do {
            let writer = try opened()
            try writer.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA incremental_vacuum")
                try Self.limit(database, to: bytes)
            }
            try shortenLog(writer)
        } catch { lose(error) }
    }

    func usage() -> (entries: Int, bytes: Int, path: String) {
        let entries = read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") }
        return (entries ?? 0, folder.bytes, folder.database)
    }

    /// Opens the file for reads.
    private func open() {
        guard isUseful, !isOpen else { return }
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

    /// The connection for writes.
    private func opened() throws -> DatabaseQueue {
        if let reader = state.withLock({ $0.reader }), reader.unsafeRead(Self.isMoved) { lose(Moved()) }
        open()
        let (isOpen, opened) = state.withLock { ($0.reader != nil, $0.writer) }
        guard isOpen else { throw CacheFolder.Unusable(description: "'\(folder.path)' cannot be opened.") }
        if let opened { return opened }
        let writer = try DatabaseQueue(path: folder.database, configuration: configuration)
        state.withLock { $0.writer = writer }
        return writer
    }

    private func connect() throws {
        if state.withLock({ $0.mustStartAnew }) { try startAnew() }
        guard state.withLock({ $0.damages < Self.mostDamages }) else {
            throw CacheFolder.Unusable(description: "Each new file was damaged too; look at the disk.")
        }
        try folder.prepare { path in
            var configuration = configuration
            configuration.journalMode = .wal
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
            let new = try DatabaseQueue(path: path, configuration: configuration)
            try new.write { database in
                try database.execute(sql: RecordTable.schema + "PRAGMA user_version = \(Self.schemaVersion);")
                // A generation that was read from another file is never equal.
                try database.execute(
                    sql: "INSERT INTO generation VALUES (0, ?)", arguments: [Int64.random(in: 0..<1 << 40)])
            }
            try new.close()
        }
        let reader = try DatabaseQueue(path: folder.database, configuration: configuration)
        let version = try reader.unsafeRead { try Int.fetchOne($0, sql: "PRAGMA user_version") }
        guard version == Self.schemaVersion else { throw RecordTable.Damaged() }
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

    /// The file was removed or replaced by another process.
    private struct Moved: Error {}

    /// Closes the connections; a damaged file is deleted with the next opening.
    private func lose(_ error: any Error) {
        switch error {
        case let error as DatabaseError where error.resultCode == .SQLITE_BUSY || error.resultCode == .SQLITE_FULL:
            return logger.info("the cache on disk was not used", metadata: ["reason": "\(error)"])
        case is Moved: break
        case _ where Self.isDamage(error):
            logger.warning("the cache file is damaged and made anew", metadata: ["path": "\(folder.path)"])
            state.withLock { state in
                // Another process may have replaced it already.
                let isMoved = state.reader?.unsafeRead(Self.isMoved) ?? false
                if !isMoved { (state.mustStartAnew, state.damages) = (true, state.damages + 1) }
            }
        default: logger.info("the cache on disk was not used", metadata: ["reason": "\(error)"])
        }
        state.withLock { $0.close() }
    }

    /// Whether the file itself is damaged or foreign. A file that is busy, full or not readable may be healthy.
    private static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is RecordTable.Damaged }
        let harmless: [ResultCode] = [
            .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY,
            .SQLITE_NOMEM, .SQLITE_PERM, .SQLITE_INTERRUPT, .SQLITE_ABORT,
        ]
        return !harmless.contains(error.resultCode)
    }

    private static func isMoved(_ database: Database) -> Bool {
        var isMoved: CInt = 0
        return sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &isMoved) == SQLITE_OK
            && isMoved != 0
    }

    // MARK: - Settings

    private static let schemaVersion = 4

    /// Log, index of the log and what one transaction adds to the log come on top of the database.
    private static func databaseBytes(of limit: Int) -> Int { limit - logBytes(of: limit) }
    private static func logBytes(of limit: Int) -> Int { max(limit / 8, 160 << 10) }

    private static func limit(_ database: Database, to limit: Int) throws {
        let (pages, log) = (databaseBytes(of: limit) / RecordTable.pageBytes, logBytes(of: limit))
        try database.execute(sql: "PRAGMA max_page_count = \(pages)")
        try database.execute(sql: "PRAGMA journal_size_limit = \(log / 2)")
        try database.execute(sql: "PRAGMA wal_autocheckpoint = \(log / 4 / RecordTable.pageBytes)")
    }

    private var configuration: Configuration {
        let limit = state.withLock { $0.limit }
        var configuration = Configuration()
        configuration.label = "strata.cache"
        // SQLite's own waits grow longer, and one of several processes that write may never get its turn.
        configuration.busyMode = .callback { tries in
            if tries < Self.mostWaits { pauseThread(milliseconds: Self.waitMilliseconds) }
            return tries < Self.mostWaits
        }
        configuration.prepareDatabase { database in
            // A killed process loses nothing, a power cut the latest changes.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            // Overwrites removed data where that writes no more pages.
            try database.execute(sql: "PRAGMA secure_delete = FAST")
            try database.execute(sql: "PRAGMA cell_size_check = ON")
            try Self.limit(database, to: limit)
        }
        return configuration
    }
}
