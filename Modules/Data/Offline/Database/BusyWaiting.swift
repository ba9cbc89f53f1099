import GRDB
import GRDBSQLite
import StrataSystem

#if !Client && !All
    #error("StrataOffline needs the trait 'Client': name it in 'traits:' where your Package.swift names Strata.")
#endif

/// How a connection waits for the writer of another process.
///
/// SQLite's own timeout soon tries every 100 ms only. An import or a snapshot frees the lock for a millisecond between two
/// transactions, so a single write would wait for its end.
enum BusyWaiting {
    /// The first tenth of a second has short pauses.
    static func pauseMicroseconds(after looks: Int32) -> UInt32 { looks < 400 ? 250 : 1_000 }

    /// Looks within `OfflineDatabase.busyTimeout`.
    static let mostLooks = 400 + Int32((OfflineDatabase.busyTimeout - .milliseconds(100)) / .milliseconds(1))

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
