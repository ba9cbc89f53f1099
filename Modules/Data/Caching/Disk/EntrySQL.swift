import FoundationEssentials
import GRDB

/// The tables of a cache file and the statements on them.
enum EntrySQL {
    static let visit = "UPDATE entry SET visited = 1 WHERE key = ? AND item = ? AND visited = 0"

    /// The file has our name but other tables.
    struct ForeignTables: Error {}

    private static let version = 2

    static func configuration(busySeconds: Double) -> Configuration {
        var configuration = Configuration()
        configuration.label = "strata.cache"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(busySeconds)
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
                        SELECT key, item, keptUntil, visited, headSum, bodySum, head, body, name, place
                        FROM entry JOIN tag ON tag.entry = entry.id JOIN hand
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
                    id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL, item BLOB NOT NULL,
                    keptUntil REAL NOT NULL, visited INTEGER NOT NULL DEFAULT 0,
                    headSum INTEGER NOT NULL, bodySum INTEGER NOT NULL, head BLOB NOT NULL, body BLOB NOT NULL,
                    UNIQUE (key, item));
                CREATE INDEX IF NOT EXISTS entryByEnd ON entry (keptUntil);
                CREATE TABLE IF NOT EXISTS tag (
                    name TEXT NOT NULL, entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
                    PRIMARY KEY (name, entry)) WITHOUT ROWID;
                CREATE INDEX IF NOT EXISTS tagByEntry ON tag (entry);
                CREATE TABLE IF NOT EXISTS hand (id INTEGER PRIMARY KEY CHECK (id = 1), place INTEGER NOT NULL);
                PRAGMA user_version = \(version);
                """)
    }

    /// Stores a record in its old place in the queue, or at the end.
    static func upsert(_ record: DiskRecord, for key: KeyDigest, in database: Database) throws {
        let packed = record.packed
        let stamp = record.stamp(for: key, packed: packed)
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO entry (key, item, keptUntil, headSum, bodySum, head, body) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (key, item) DO UPDATE SET keptUntil = excluded.keptUntil, headSum = excluded.headSum,
                    bodySum = excluded.bodySum, head = excluded.head, body = excluded.body, visited = 1
                RETURNING id
                """)
        let id = try Int64.fetchOne(
            statement,
            arguments: [
                key.bytes, record.item, record.keptUntil.timeIntervalSinceReferenceDate,
                Int64(bitPattern: stamp.head), Int64(bitPattern: stamp.body), packed, record.body,
            ])
        guard let id else { throw ForeignTables() }
        try database.cachedStatement(sql: "DELETE FROM tag WHERE entry = ?").execute(arguments: [id])
        for tag in record.tags {
            try database.cachedStatement(sql: "INSERT INTO tag (name, entry) VALUES (?, ?)")
                .execute(arguments: [tag, id])
        }
    }

    /// Nothing happens when the record is gone.
    static func update(_ name: RecordName, head: Data, keptUntil: Date, in database: Database) throws {
        let old = try Row.fetchOne(
            database, sql: "SELECT id, head FROM entry WHERE key = ? AND item = ?",
            arguments: [name.key.bytes, name.item])
        guard let old, let id: Int64 = old["id"], let packed = Data.fromDatabaseValue(old["head"] as DatabaseValue),
            var record = DiskRecord(item: name.item, packed: packed, body: Data(), keptUntil: keptUntil)
        else { return }
        record.head = head
        let sum = DiskRecord.sum(packed: record.packed, keptUntil: keptUntil, seed: name.seed)
        try database.execute(
            sql: "UPDATE entry SET keptUntil = ?, headSum = ?, head = ? WHERE id = ?",
            arguments: [
                keptUntil.timeIntervalSinceReferenceDate, Int64(bitPattern: sum), record.packed, id,
            ])
    }
}
