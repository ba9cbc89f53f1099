import Dispatch
import GRDBSQLite
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Carries pages of a long write-ahead log into the database (sqlite.org/wal.html, section 2.1) while the next ones are
/// being written: over a connection and on a thread of its own, since the writer would stand still otherwise.
///
/// It only saves time. Where it fails, the writer's own checkpoint does the work.
final class LogBackfill: Sendable {
    /// Bytes of the log from which on it begins. Default: 32 MiB.
    static let usual = 32 << 20

    private let path: String
    private let least: Int
    private let thread = DispatchQueue(label: "strata.offline.backfill")
    private let isUnderWay = Mutex(false)

    init(of path: String, from least: Int = usual) { (self.path, self.least) = (path, least) }

    /// Begins, unless the log is short or this is under way already.
    func begin() {
        guard logBytes >= least else { return }
        let isMine = isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        guard isMine else { return }
        thread.async { [self] in
            backfill()
            isUnderWay.withLock { $0 = false }
        }
    }

    /// Returns when nothing is under way that had begun before.
    func wait() { thread.sync {} }

    /// The file keeps its length when it is written from its beginning again.
    private var logBytes: Int {
        var status = stat()
        return stat("\(path)-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    private func backfill() {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        // FULL, SQLite's default: the log is on the disk before its pages are in the database.
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK,
            sqlite3_exec(connection, "PRAGMA synchronous = FULL", nil, nil, nil) == SQLITE_OK
        else { return }
        sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
