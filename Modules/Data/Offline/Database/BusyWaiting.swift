import GRDB
import GRDBSQLite
import StrataSystem

/// How a connection waits for the writer of another process.
///
/// SQLite's own timeout soon looks every 100 ms only. An import or a snapshot, which writes transaction after transaction,
/// leaves the lock for a millisecond between two of them, and a single write would wait for its end.
enum BusyWaiting {
    /// The first looks come fast, in about a tenth of a second; then it costs next to nothing.
    static func pauseMicroseconds(after looks: Int32) -> UInt32 {
        switch looks {
        case ..<400: 250
        case ..<2_000: 1_000
        default: 5_000
        }
    }

    /// Looks until `OfflineDatabase.busyTimeout` is over.
    static let mostLooks: Int32 = {
        var (looks, waited, limit) = (Int32(0), 0.0, OfflineDatabase.busyTimeout / .microseconds(1))
        while waited < limit {
            waited += Double(pauseMicroseconds(after: looks))
            looks += 1
        }
        return looks
    }()

    static func begin(_ db: Database) {
        sqlite3_busy_handler(
            db.sqliteConnection,
            { _, looks in
                guard looks < BusyWaiting.mostLooks else { return 0 }
                usleep(BusyWaiting.pauseMicroseconds(after: looks))
                return 1
            }, nil)
    }
}
