import GRDB
import Logging
import Synchronization

/// The database of a cache: opened on first use, given up for an empty one when it is damaged, and left alone when it
/// is merely busy, full or unreadable. Blocks; used by one thread at a time.
final class CacheDatabase: Sendable {
    private struct State {
        var connection: DatabaseQueue?
        /// The file in use or last tried; zero before the first use.
        var number = 0
        var rebuilds = 0
    }

    private let directory: CacheDirectory
    private let busySeconds: Double
    private let logger: Logger
    private let state = Mutex(State())

    /// A disk that damages every new file is not fed for ever.
    private static let mostRebuilds = 3

    /// - Parameter busySeconds: How long one try waits for another process that writes.
    init(directory: CacheDirectory, busySeconds: Double, logger: Logger) {
        self.directory = directory
        self.busySeconds = busySeconds
        self.logger = logger
    }

    /// Of the file in use, or of the directory before the first use.
    var path: String {
        let number = state.withLock { $0.number }
        return number == 0 ? directory.path : directory.database(number)
    }

    /// Length of the file in use and its log.
    var bytes: Int { directory.bytes(of: state.withLock { $0.number }) }

    /// - Returns: `nil` when the disk could not do it.
    func read<Result>(_ name: String, _ body: (Database) throws -> Result) -> Result? {
        perform(name) { try $0.read(body) }
    }

    /// - Returns: `nil` when the disk could not do it, and nothing was changed then.
    func write<Result>(_ name: String, _ body: (Database) throws -> Result) -> Result? {
        perform(name) { try $0.write(body) }
    }

    /// Like `write`, but waits longer for other processes: an invalidation that is lost leaves old data to be served as fresh.
    func insist(_ name: String, _ body: (Database) throws -> Void) {
        if perform(name, patience: 5, { try $0.write(body) }) == nil {
            logger.warning(
                "a change did not reach the cache on disk", metadata: ["operation": "\(name)", "path": "\(path)"])
        }
    }

    /// Gives freed pages and the log back to the file system, so that removed data is gone from it.
    func shrink() -> Bool {
        let busy = perform("shrink") { connection in
            try connection.writeWithoutTransaction { database in
                _ = try Row.fetchAll(database, sql: "PRAGMA incremental_vacuum")
                return try Int.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
        }
        return busy == .some(0)
    }

    /// Goes on with the next file and removes this one.
    func startAnew() throws {
        close()
        let (number, rebuilds) = state.withLock { state in
            defer { state.rebuilds += 1 }
            return (state.number, state.rebuilds)
        }
        guard rebuilds < Self.mostRebuilds else { throw CacheDirectory.Unusable.alwaysDamaged }
        _ = try open(try directory.number(after: number, filling: fill))
    }

    /// - Parameter patience: How often it is tried while another process writes.
    private func perform<Result>(
        _ name: String, patience: Int = 1, _ body: (DatabaseQueue) throws -> Result
    ) -> Result? {
        for attempt in 1...patience {
            do { return try repairing(body) } catch {
                let isBusy = if case DatabaseError.SQLITE_BUSY = error { true } else { false }
                if isBusy, attempt < patience { continue }
                if !isBusy { close() }
                logger.info("the cache on disk was not used", metadata: ["operation": "\(name)", "reason": "\(error)"])
                return nil
            }
        }
        return nil
    }

    private func repairing<Result>(_ body: (DatabaseQueue) throws -> Result) throws -> Result {
        do { return try body(try opened()) } catch  where error.isDamage {
            logger.warning(
                "the cache file is damaged and replaced", metadata: ["path": "\(path)", "reason": "\(error)"])
            try startAnew()
            return try body(try opened())
        }
    }

    /// After a failure nothing is known about the state of the connection; the next use opens another.
    private func close() {
        let connection = state.withLock { state in
            defer { state.connection = nil }
            return state.connection
        }
        try? connection?.close()
    }

    private func opened() throws -> DatabaseQueue {
        let (connection, rebuilds) = state.withLock { ($0.connection, $0.rebuilds) }
        if let connection { return connection }
        guard rebuilds <= Self.mostRebuilds else { throw CacheDirectory.Unusable.alwaysDamaged }
        return try open(try directory.number(filling: fill))
    }

    private func open(_ number: Int) throws -> DatabaseQueue {
        state.withLock { $0.number = number }
        try directory.accept(number)
        let connection = try connect(directory.database(number))
        state.withLock { $0.connection = connection }
        return connection
    }

    /// Switching a file to WAL needs it alone, so that is done before anybody else can see it.
    private func fill(_ path: String) throws { try connect(path).close() }

    private func connect(_ path: String) throws -> DatabaseQueue {
        let connection = try DatabaseQueue(path: path, configuration: EntrySQL.configuration(busySeconds: busySeconds))
        try EntrySQL.prepare(connection)
        return connection
    }
}

extension Error {
    /// Whether the file itself is broken or foreign. Busy, full, locked and I/O errors are not: the file may be healthy.
    fileprivate var isDamage: Bool {
        switch self {
        case is EntrySQL.ForeignTables: true
        case let error as DatabaseError:
            [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT].contains(error.resultCode)
        default: false
        }
    }
}
