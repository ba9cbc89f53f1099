import GRDB

/// How SQLite works on a cache file.
struct CacheFileSettings: Sendable {
    /// Bytes of database and log together.
    let limit: Int
    let budget: BusyBudget

    static let schemaVersion = 6
    /// A smaller limit stores nothing on disk.
    static let leastBytes = 256 << 10

    /// Log, index of the log and what one transaction adds to the log come on top of the database.
    static func databaseBytes(of limit: Int) -> Int { limit - logBytes(of: limit) }
    static func logBytes(of limit: Int) -> Int { max(limit / 8, 160 << 10) }

    func apply(to database: Database) throws {
        let pages = Self.databaseBytes(of: limit) / RecordTable.pageBytes
        let log = Self.logBytes(of: limit)
        try database.execute(
            sql: """
                PRAGMA max_page_count = \(pages);
                PRAGMA journal_size_limit = \(log / 2);
                PRAGMA wal_autocheckpoint = \(log / 4 / RecordTable.pageBytes)
                """)
    }

    var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "strata.cache"
        // SQLite's own waits grow longer, and one of several processes that write may never get its turn.
        configuration.busyMode = .callback { [budget] _ in budget.mayWait() }
        configuration.prepareDatabase { database in
            // A killed process loses nothing, a power cut the latest changes. Removed data is overwritten where that writes
            // no more pages.
            try database.execute(
                sql: "PRAGMA synchronous = NORMAL; PRAGMA secure_delete = FAST; PRAGMA cell_size_check = ON")
            try apply(to: database)
        }
        return configuration
    }

    /// Makes an empty cache file and closes it.
    func create(_ path: String) throws {
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
}
