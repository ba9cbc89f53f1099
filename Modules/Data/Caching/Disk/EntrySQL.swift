import FoundationEssentials
import GRDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The tables of a cache file and the statements on them.
enum EntrySQL {
    static let visit = "UPDATE entry SET visited = 1 WHERE id = ? AND visited = 0"
    static let remove = "DELETE FROM entry WHERE id = ?"
    static let isNamed = "id = ? AND key = ? AND item = ?"

    static func arguments(_ name: RecordName) -> StatementArguments {
        [name.row, name.key.bytes, name.item?.data ?? Data()]
    }

    private static let waitMilliseconds = 2

    /// The file has our name but other tables.
    struct ForeignTables: Error {}

    private static let version = 3

    static func configuration(busySeconds: Double) -> Configuration {
        var configuration = Configuration()
        configuration.label = "strata.cache"
        configuration.journalMode = .wal
        // SQLite's own way to wait sleeps longer and longer, and a process among many that write may never get its turn.
        let mostTries = Int(busySeconds * 1000) / waitMilliseconds
        configuration.busyMode = .callback { tries in
            guard tries < mostTries else { return false }
            _ = poll(nil, 0, Int32(waitMilliseconds))
            return true
        }
        // A damaged file may fail a rollback too; that is a miss and no reason to end the process.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
            // Only in a new file: in others it would need the write lock, and opening should wait for nobody.
            if try Int.fetchOne(database, sql: "PRAGMA user_version") == 0 {
                try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            }
            // A removed answer must not stay readable in free pages after a logout.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            // The log counts against the limit, so `Budget` decides when it is emptied, and no page is in it twice.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try database.execute(sql: "PRAGMA cache_spill = OFF")
            try database.execute(sql: "PRAGMA cell_size_check = ON")
        }
        return configuration
    }

    /// Makes the tables in a new file, and checks that an old one has them.
    static func prepare(_ connection: DatabaseQueue) throws {
        let found = try connection.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
        if found == 0 { try connection.write(create) }
        do {
            try connection.read { database in
                _ = try database.makeStatement(
                    sql: """
                        SELECT entry.place, keptUntil, visited, headSum, bodySum, key, item, head, body, hand.place
                        FROM entry JOIN hand
                        """)
            }
        } catch DatabaseError.SQLITE_ERROR {
            throw ForeignTables()
        }
    }

    private static func create(in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS entry (
                    id INTEGER PRIMARY KEY, place INTEGER NOT NULL, keptUntil REAL NOT NULL,
                    visited INTEGER NOT NULL DEFAULT 0, headSum INTEGER NOT NULL, bodySum INTEGER NOT NULL,
                    key BLOB NOT NULL, item BLOB NOT NULL, head BLOB NOT NULL, body BLOB NOT NULL);
                CREATE INDEX IF NOT EXISTS entryByPlace ON entry (place);
                CREATE INDEX IF NOT EXISTS entryByEnd ON entry (keptUntil);
                CREATE TABLE IF NOT EXISTS hand (id INTEGER PRIMARY KEY CHECK (id = 1), place INTEGER NOT NULL);
                PRAGMA user_version = \(version);
                """)
    }

    /// Bytes of those rows that are there.
    static func lengths(of rows: [Int64], in database: Database) throws -> [Int] {
        let statement = try database.cachedStatement(
            sql: "SELECT length(head) + length(body) FROM entry WHERE id = ?")
        return try rows.compactMap { try Int.fetchOne(statement, arguments: [$0]) }
    }

    /// The oldest rows of a key that has more than `most`.
    static func rows(of key: KeyDigest, beyond most: Int, in database: Database) throws -> [Int64] {
        let rows = RecordName.rows(of: key)
        let statement = try database.cachedStatement(
            sql: """
                SELECT id FROM entry WHERE id BETWEEN ? AND ? AND key = ?
                ORDER BY place DESC LIMIT -1 OFFSET ?
                """)
        return try Int64.fetchAll(statement, arguments: [rows.lowerBound, rows.upperBound, key.bytes, most])
    }

    /// Stores a record in its old place in the queue, or at the end.
    static func upsert(_ record: DiskRecord, for key: KeyDigest, in database: Database) throws {
        let packed = record.packed
        let stamp = record.stamp(for: key, packed: packed)
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO entry (id, place, keptUntil, headSum, bodySum, key, item, head, body)
                VALUES (?, (SELECT coalesce(max(place), 0) + 1 FROM entry), ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET keptUntil = excluded.keptUntil, headSum = excluded.headSum,
                    bodySum = excluded.bodySum, key = excluded.key, item = excluded.item, head = excluded.head,
                    body = excluded.body, visited = 1
                """)
        try statement.execute(arguments: [
            RecordName(key, item: record.item).row, record.keptUntil.timeIntervalSinceReferenceDate,
            Int64(bitPattern: stamp.head), Int64(bitPattern: stamp.body), key.bytes, record.item?.data ?? Data(),
            packed, record.body,
        ])
    }

    /// Nothing happens when the record is gone.
    ///
    /// - Parameter isMoved: Whether it is removed and written again, which takes the pages that were freed; SQLite
    ///   would else fill others first.
    static func update(
        _ name: RecordName, head: Data, keptUntil: Date, isMoved: Bool = false, in database: Database
    ) throws {
        let columns = isMoved ? "place, visited, bodySum, head, body" : "head"
        let old = try Row.fetchOne(
            database, sql: "SELECT \(columns) FROM entry WHERE \(isNamed)", arguments: arguments(name))
        guard let old, let packed = Data.fromDatabaseValue(old["head"] as DatabaseValue),
            var record = DiskRecord(item: name.item, packed: packed, body: Data(), keptUntil: keptUntil)
        else { return }
        record.head = head
        let sum = Int64(bitPattern: DiskRecord.sum(packed: record.packed, keptUntil: keptUntil, seed: name.seed))
        let end = keptUntil.timeIntervalSinceReferenceDate
        guard isMoved else {
            return try database.execute(
                sql: "UPDATE entry SET keptUntil = ?, headSum = ?, head = ? WHERE id = ?",
                arguments: [end, sum, record.packed, name.row])
        }
        try database.execute(sql: remove, arguments: [name.row])
        try database.execute(
            sql: """
                INSERT INTO entry (id, place, visited, keptUntil, headSum, bodySum, key, item, head, body)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                name.row, old["place"] as DatabaseValue, old["visited"] as DatabaseValue, end, sum,
                old["bodySum"] as DatabaseValue, name.key.bytes, name.item?.data ?? Data(), record.packed,
                old["body"] as DatabaseValue,
            ])
    }
}
