import FoundationEssentials
import GRDB
import StrataHTTP

/// The tables of a cache file and the statements on them.
package enum RecordTable {
    static let schema = """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY, key BLOB NOT NULL, item TEXT NOT NULL, tags TEXT NOT NULL, keptUntil REAL NOT NULL,
            used INTEGER NOT NULL, headSum INTEGER NOT NULL, bodySum INTEGER NOT NULL,
            head BLOB NOT NULL, body BLOB NOT NULL, UNIQUE (key, item));
        CREATE INDEX entryByUse ON entry (used);
        CREATE INDEX entryByEnd ON entry (keptUntil);
        CREATE TABLE generation (scope INTEGER PRIMARY KEY, number INTEGER NOT NULL);
        CREATE TABLE lease (
            name BLOB PRIMARY KEY, owner TEXT NOT NULL, process INTEGER NOT NULL, start INTEGER NOT NULL,
            until REAL NOT NULL) WITHOUT ROWID;
        """

    /// A row differs from the record that was written under its key.
    struct Damaged: Error {}

    private static let head = "id, item, tags, keptUntil, head, headSum"

    // MARK: - Reads

    /// - Returns: The record with its body and the number of its row.
    static func record(_ key: KeyDigest, _ item: UUID?, in database: Database) throws -> (DiskRecord, row: Int64)? {
        let sql = "SELECT \(head), body, bodySum FROM entry WHERE key = ? AND item = ?"
        let row = try Row.fetchOne(
            database.cachedStatement(sql: sql), arguments: [key.bytes, item?.text ?? ""])
        return try row.map { try (record(in: $0, key, hasBody: true), number(in: $0)) }
    }

    static func holds(_ key: KeyDigest, _ item: UUID?, in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(sql: "SELECT 1 FROM entry WHERE key = ? AND item = ?")
        return try Bool.fetchOne(statement, arguments: [key.bytes, item?.text ?? ""]) != nil
    }

    static func body(_ key: KeyDigest, _ item: UUID, in database: Database) throws -> (Data, row: Int64)? {
        let sql = "SELECT id, body, bodySum FROM entry WHERE key = ? AND item = ?"
        let row = try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [key.bytes, item.text])
        return try row.map { try (body(at: 1, in: $0, key, item.text), number(in: $0)) }
    }

    /// The records of a key without their bodies, latest first.
    static func heads(of key: KeyDigest, in database: Database) throws -> [DiskRecord] {
        let statement = try database.cachedStatement(sql: "SELECT \(head) FROM entry WHERE key = ? ORDER BY id DESC")
        return try Row.fetchAll(statement, arguments: [key.bytes]).map { try record(in: $0, key, hasBody: false) }
    }

    private static func record(in row: Row, _ key: KeyDigest, hasBody: Bool) throws(Damaged) -> DiskRecord {
        guard let item = String.fromDatabaseValue(row[1]), let tags = String.fromDatabaseValue(row[2]),
            let keptUntil = Double.fromDatabaseValue(row[3]),
            let head = Data.fromDatabaseValue(row[4]), let sum = Int64.fromDatabaseValue(row[5]),
            sum == headSum(key, item, tags, keptUntil, head)
        else { throw Damaged() }
        return DiskRecord(
            item: UUID(uuidString: item), head: head, body: hasBody ? try body(at: 6, in: row, key, item) : Data(),
            keptUntil: Date(timeIntervalSinceReferenceDate: keptUntil), tags: names(in: tags))
    }

    private static func body(at column: Int, in row: Row, _ key: KeyDigest, _ item: String) throws(Damaged) -> Data {
        guard let body = Data.fromDatabaseValue(row[column]), let sum = Int64.fromDatabaseValue(row[column + 1]),
            sum == Checksum(key.bytes, Data(item.utf8), body).value
        else { throw Damaged() }
        return body
    }

    private static func number(in row: Row) throws(Damaged) -> Int64 {
        guard let number = Int64.fromDatabaseValue(row[0]) else { throw Damaged() }
        return number
    }

    // MARK: - Writes

    /// A record that replaces another of the same name keeps its place among the records of the key.
    static func upsert(_ record: DiskRecord, for key: KeyDigest, in database: Database) throws {
        let (item, tags) = (record.item?.text ?? "", text(of: record.tags))
        let keptUntil = record.keptUntil.timeIntervalSinceReferenceDate
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO entry (key, item, tags, keptUntil, used, head, headSum, body, bodySum)
                VALUES (?, ?, ?, ?, (SELECT coalesce(max(used), 0) + 1 FROM entry), ?, ?, ?, ?)
                ON CONFLICT (key, item) DO UPDATE SET tags = excluded.tags, keptUntil = excluded.keptUntil,
                    used = excluded.used, head = excluded.head,
                    headSum = excluded.headSum, body = excluded.body, bodySum = excluded.bodySum
                """)
        try statement.execute(arguments: [
            key.bytes, item, tags, keptUntil, record.head,
            headSum(key, item, tags, keptUntil, record.head), record.body,
            Checksum(key.bytes, Data(item.utf8), record.body).value,
        ])
    }

    /// Replaces the head of a record; nothing happens when the record is gone.
    ///
    /// - Parameter old: The head that it must have; `nil` for any.
    /// - Returns: Whether it was replaced.
    @discardableResult
    static func update(
        _ key: KeyDigest, _ item: UUID?, replacing old: Data? = nil, head: Data, keptUntil: Date,
        in database: Database
    ) throws -> Bool {
        let item = item?.text ?? ""
        let present = try database.cachedStatement(sql: "SELECT tags, head FROM entry WHERE key = ? AND item = ?")
        guard let row = try Row.fetchOne(present, arguments: [key.bytes, item]),
            let tags = String.fromDatabaseValue(row[0]), old == nil || Data.fromDatabaseValue(row[1]) == old
        else { return false }
        let end = keptUntil.timeIntervalSinceReferenceDate
        try database.cachedStatement(
            sql: "UPDATE entry SET keptUntil = ?, head = ?, headSum = ? WHERE key = ? AND item = ?"
        ).execute(arguments: [end, head, headSum(key, item, tags, end, head), key.bytes, item])
        return true
    }

    static func remove(_ key: KeyDigest, _ item: UUID?, in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM entry WHERE key = ? AND item = ?")
            .execute(arguments: [key.bytes, item?.text ?? ""])
    }

    /// Most records of one key; then the oldest are removed, so that one look-up never reads thousands.
    package static let mostItems = 32

    /// Removes the records of a key but for the latest `count`.
    static func removeAll(of key: KeyDigest, keeping count: Int = 0, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                DELETE FROM entry WHERE id IN (
                    SELECT id FROM entry WHERE key = ? ORDER BY id DESC LIMIT -1 OFFSET ?)
                """
        ).execute(arguments: [key.bytes, count])
    }

    static func removeAll(tagged tag: String, in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM entry WHERE instr(tags, ?) > 0")
            .execute(arguments: [text(of: [tag])])
    }

    static func removeExpired(at now: Date, in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM entry WHERE keptUntil <= ?")
            .execute(arguments: [now.timeIntervalSinceReferenceDate])
    }

    // MARK: - Room

    static let pageBytes = 4096

    /// Marks rows as the last used, so that they are evicted last.
    static func touch(_ rows: some Sequence<Int64>, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "UPDATE entry SET used = (SELECT max(used) + 1 FROM entry) WHERE id = ?")
        for row in rows { try statement.execute(arguments: [row]) }
    }

    /// Makes room for `bytes` below `limit`: removes expired records, then the least recently used.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_FULL` when no removal makes enough room.
    static func makeRoom(for bytes: Int, below limit: Int, at now: Date, in database: Database) throws {
        func isEnough() throws -> Bool { try bytes + usedBytes(database) <= limit }
        try removeExpired(at: now, in: database)
        while try !isEnough() {
            let count = try Int.fetchOne(database.cachedStatement(sql: "SELECT count(*) FROM entry")) ?? 0
            guard count > 0 else { throw DatabaseError(resultCode: .SQLITE_FULL) }
            try database.cachedStatement(
                sql: "DELETE FROM entry WHERE id IN (SELECT id FROM entry ORDER BY used LIMIT ?)"
            ).execute(arguments: [max(1, count / 64)])
        }
    }

    private static func usedBytes(_ database: Database) throws -> Int {
        func number(_ pragma: String) throws -> Int {
            try Int.fetchOne(database.cachedStatement(sql: "PRAGMA \(pragma)")) ?? 0
        }
        return try (number("page_count") - number("freelist_count")) * pageBytes
    }

    // MARK: - Columns

    private static let separator = "\u{1F}"

    /// Each tag between two separators, so that `instr` finds whole tags only.
    private static func text(of tags: Set<String>) -> String {
        tags.isEmpty ? "" : separator + tags.sorted().joined(separator: separator) + separator
    }

    private static func names(in text: String) -> Set<String> {
        guard text.count > 1 else { return [] }
        return Set(
            text.dropFirst().dropLast().split(separator: separator, omittingEmptySubsequences: false).map(String.init))
    }

    private static func headSum(
        _ key: KeyDigest, _ item: String, _ tags: String, _ keptUntil: Double, _ head: Data
    ) -> Int64 {
        Checksum(key.bytes, Data("\(item) \(keptUntil.bitPattern) \(tags)".utf8), head).value
    }
}
