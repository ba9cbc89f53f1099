import FoundationEssentials
import GRDB

/// The tables of a cache file and the statements on them.
enum EntrySQL {
    static let select = "SELECT type, storedAt, freshUntil, keptUntil, tags, payload, checksum FROM entry WHERE key = ?"
    static let visit = "UPDATE entry SET visited = 1 WHERE key = ? AND visited = 0"

    /// The file has our name and version but other tables.
    struct ForeignTables: Error {}

    private static let version = 1

    static func configuration(busySeconds: Double) -> Configuration {
        var configuration = Configuration()
        configuration.label = "strata.cache"
        // What a power cut takes from a cache is fetched again, so `NORMAL`, which WAL mode comes with, is enough.
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
            try database.execute(sql: "PRAGMA journal_size_limit = 1048576")
        }
        return configuration
    }

    /// Makes the tables in a new file, and checks that an old one has them.
    static func prepare(_ connection: DatabaseQueue) throws {
        let found = try connection.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
        if found != version { try connection.write(create) }
        do {
            try connection.read { database in
                _ = try database.makeStatement(sql: select)
                _ = try database.makeStatement(
                    sql: "SELECT visited, name, place FROM entry JOIN tag ON tag.entry = entry.id JOIN hand")
            }
        } catch DatabaseError.SQLITE_ERROR {
            throw ForeignTables()
        }
    }

    private static func create(in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS entry (
                    id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE, type TEXT NOT NULL,
                    storedAt REAL NOT NULL, freshUntil REAL NOT NULL, keptUntil REAL NOT NULL,
                    visited INTEGER NOT NULL DEFAULT 0, tags TEXT NOT NULL, checksum BLOB NOT NULL, payload BLOB NOT NULL);
                CREATE INDEX IF NOT EXISTS entryByEnd ON entry (keptUntil);
                CREATE TABLE IF NOT EXISTS tag (
                    name TEXT NOT NULL, entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
                    PRIMARY KEY (name, entry)) WITHOUT ROWID;
                CREATE INDEX IF NOT EXISTS tagByEntry ON tag (entry);
                CREATE TABLE IF NOT EXISTS hand (id INTEGER PRIMARY KEY CHECK (id = 1), place INTEGER NOT NULL);
                PRAGMA user_version = \(version);
                """)
    }

    /// Stores an entry in its old place in the queue, or at the end.
    ///
    /// - Returns: Its row.
    static func upsert(_ entry: StoredEntry, for key: KeyDigest, in database: Database) throws -> Int64 {
        let id = try Int64.fetchOne(
            database,
            sql: """
                INSERT INTO entry (key, type, storedAt, freshUntil, keptUntil, tags, checksum, payload)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (key) DO UPDATE SET type = excluded.type, storedAt = excluded.storedAt,
                    freshUntil = excluded.freshUntil, keptUntil = excluded.keptUntil, tags = excluded.tags,
                    checksum = excluded.checksum, payload = excluded.payload, visited = 1
                RETURNING id
                """,
            arguments: [
                key.bytes, entry.type, entry.span.storedAt.timeIntervalSince1970,
                entry.span.freshUntil.timeIntervalSince1970, entry.span.keptUntil.timeIntervalSince1970,
                try tagText(entry.tags), entry.checksum(for: key), entry.payload,
            ])
        guard let id else { throw ForeignTables() }
        try database.execute(sql: "DELETE FROM tag WHERE entry = ?", arguments: [id])
        for tag in entry.tags {
            try database.execute(sql: "INSERT INTO tag (name, entry) VALUES (?, ?)", arguments: [tag, id])
        }
        return id
    }

    /// Tags as a JSON array, so that a tag may contain anything.
    static func tagText(_ tags: [String]) throws -> String {
        String(decoding: try JSONEncoder().encode(tags), as: UTF8.self)
    }

    static func tags(from text: String) -> [String]? { try? JSONDecoder().decode([String].self, from: Data(text.utf8)) }
}

extension StoredEntry {
    /// The entry of a row; `nil` when anything in it is not what was written for `key`.
    init?(_ row: Row, for key: KeyDigest) {
        func value<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
            let stored: DatabaseValue = row[column]
            return Value.fromDatabaseValue(stored)
        }
        guard let type: String = value("type"), let storedAt: Double = value("storedAt"),
            let freshUntil: Double = value("freshUntil"), let keptUntil: Double = value("keptUntil"),
            let tagText: String = value("tags"), let tags = EntrySQL.tags(from: tagText),
            let payload: Data = value("payload"), let checksum: Data = value("checksum")
        else { return nil }
        self.init(
            type: type,
            span: EntrySpan(
                storedAt: Date(timeIntervalSince1970: storedAt), freshUntil: Date(timeIntervalSince1970: freshUntil),
                keptUntil: Date(timeIntervalSince1970: keptUntil)),
            tags: tags, payload: payload)
        guard self.checksum(for: key) == checksum else { return nil }
    }
}
