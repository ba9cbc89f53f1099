import FoundationEssentials
import GRDBSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A connection for reads alone, with its statements prepared: one step a read, and no transaction around it.
///
/// It speaks to SQLite itself, since a wrapper's own queue and transaction would cost more than the read. One caller at
/// a time. In WAL mode a reader waits for nobody but one who recovers the log.
// Sendable proof: `CacheDatabase` uses it under one lock and lets nobody keep it; SQLite allows one connection to move
// between threads as long as they take turns (sqlite.org/threadsafe.html).
final class RecordReader: @unchecked Sendable {
    struct Failure: Error, CustomStringConvertible {
        var code: Int32
        var description: String { "SQLite says \(code): \(String(cString: sqlite3_errstr(code)))" }
    }

    private var handle: OpaquePointer?
    private let record = Statement(
        "SELECT key, item, keptUntil, headSum, bodySum, head, body, place, visited FROM entry WHERE id = ?1")
    private let body = Statement("SELECT key, item, bodySum, body FROM entry WHERE id = ?1")
    private let heads = Statement(
        "SELECT key, item, keptUntil, headSum, head FROM entry WHERE id BETWEEN ?1 AND ?2 ORDER BY place DESC")
    private let walk = Statement(
        """
        SELECT key, item, keptUntil, headSum, head, id FROM entry WHERE id > ?1
        ORDER BY id LIMIT \(RecordReader.stride)
        """)
    private let stamp = Statement("SELECT key, item, headSum, bodySum FROM entry WHERE id = ?1")
    private let version = Statement("PRAGMA data_version")
    private let count = Statement("SELECT count(*) FROM entry")

    /// The text of a statement, and the statement once it was used.
    private struct Statement {
        let text: String
        /// In memory of its own, since a variable of a class is checked for a second access with each one.
        let prepared: UnsafeMutablePointer<OpaquePointer?>

        init(_ text: String) {
            self.text = text
            prepared = .allocate(capacity: 1)
            prepared.initialize(to: nil)
        }
    }

    /// - Throws: When the file is no database, or has other tables.
    init(path: String) throws(Failure) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
        try check(sqlite3_open_v2(path, &handle, flags, nil))
        sqlite3_busy_timeout(handle, 100)
        // It names every column of the table.
        _ = try prepared(record)
    }

    deinit {
        for statement in [record, body, heads, walk, stamp, version, count] {
            sqlite3_finalize(statement.prepared.pointee)
            statement.prepared.deallocate()
        }
        sqlite3_close_v2(handle)
    }

    /// Changes with each commit of another connection.
    func dataVersion() throws(Failure) -> Int {
        try first(version, (nil, nil)) { Int(sqlite3_column_int64($0, 0)) } ?? 0
    }

    func entries() throws(Failure) -> Int { try first(count, (nil, nil)) { Int(sqlite3_column_int64($0, 0)) } ?? 0 }

    /// - Returns: `.damaged` when the row is not what was written under this name.
    func record(_ name: RecordName) throws(Failure) -> Found<DiskRecord> {
        try first(record, (name.row, nil)) { row in
            let packed = Self.blob(row, 5)
            guard Self.isNamed(name, row), let keptUntil = Self.date(row, 2),
                let record = DiskRecord(
                    item: name.item, packed: packed, body: Self.blob(row, 6), keptUntil: keptUntil),
                record.stamp(for: name.key, packed: packed) == Self.stamp(row, 3, 4)
            else { return .damaged }
            return .whole(record)
        } ?? .missing
    }

    /// The body alone, which is cheaper.
    func body(_ name: RecordName) throws(Failure) -> Found<Data> {
        try first(body, (name.row, nil)) { row in
            let body = Self.blob(row, 3)
            let sum = UInt64(bitPattern: sqlite3_column_int64(row, 2))
            return Self.isNamed(name, row) && Checksum.of(body, seed: name.seed) == sum ? .whole(body) : .damaged
        } ?? .missing
    }

    func stamp(_ name: RecordName) throws(Failure) -> DiskRecord.Stamp? {
        let stamp = try first(stamp, (name.row, nil)) { Self.isNamed(name, $0) ? Self.stamp($0, 2, 3) : nil }
        return stamp ?? nil
    }

    func has(_ row: Int64) throws(Failure) -> Bool { try first(stamp, (row, nil)) { _ in true } ?? false }

    /// Without bodies, latest first; damaged ones only by name.
    func heads(of key: KeyDigest) throws(Failure) -> (whole: [DiskRecord], damaged: [RecordName]) {
        var (whole, damaged): ([DiskRecord], [RecordName]) = ([], [])
        let range = RecordName.rows(of: key)
        try rows(heads, (range.lowerBound, range.upperBound)) { row in
            guard let name = Self.name(row), name.key == key else { return true }
            if let record = Self.head(row, name) { whole.append(record) } else { damaged.append(name) }
            return true
        }
        return (whole, damaged)
    }

    /// Some of the entries, in the order of their rows.
    ///
    /// - Parameter last: Row to begin after.
    /// - Returns: Rows of those that have the tag or are damaged, and where to go on; `nil` at the end.
    func rows(tagged tag: String, after last: Int64) throws(Failure) -> (found: [Int64], last: Int64?) {
        var found: [Int64] = []
        var (count, next) = (0, last)
        try rows(walk, (last, nil)) { row in
            count += 1
            next = sqlite3_column_int64(row, 5)
            let record = Self.name(row).flatMap { Self.head(row, $0) }
            if record?.tags.contains(tag) ?? true { found.append(next) }
            return true
        }
        return (found, count == Self.stride ? next : nil)
    }

    enum Found<Value> {
        case whole(Value)
        case damaged
        case missing
    }

    private static let stride = 256

    // MARK: - SQLite

    private func prepared(_ statement: Statement) throws(Failure) -> OpaquePointer? {
        if let prepared = statement.prepared.pointee { return prepared }
        let options = UInt32(SQLITE_PREPARE_PERSISTENT)
        try check(sqlite3_prepare_v3(handle, statement.text, -1, options, statement.prepared, nil))
        return statement.prepared.pointee
    }

    private func check(_ code: Int32) throws(Failure) {
        if code != SQLITE_OK { throw Failure(code: code) }
    }

    private func first<Value>(
        _ statement: Statement, _ numbers: (Int64?, Int64?), _ body: (OpaquePointer?) -> Value
    ) throws(Failure) -> Value? {
        var value: Value?
        try rows(statement, numbers) { row in
            value = body(row)
            return false
        }
        return value
    }

    /// - Parameter body: Returns whether it wants the next row.
    private func rows(
        _ statement: Statement, _ numbers: (Int64?, Int64?), _ body: (OpaquePointer?) -> Bool
    ) throws(Failure) {
        let statement = try prepared(statement)
        if let number = numbers.0 { sqlite3_bind_int64(statement, 1, number) }
        if let number = numbers.1 { sqlite3_bind_int64(statement, 2, number) }
        var code: Int32
        repeat { code = sqlite3_step(statement) } while code == SQLITE_ROW && body(statement)
        sqlite3_reset(statement)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw Failure(code: code) }
    }

    // MARK: - Columns: key and item come first

    private static func isNamed(_ name: RecordName, _ row: OpaquePointer?) -> Bool {
        guard let key = sqlite3_column_blob(row, 0), sqlite3_column_bytes(row, 0) == KeyDigest.length,
            key.loadUnaligned(as: KeyDigest.Words.self) == name.key.words
        else { return false }
        guard var item = name.item?.uuid else { return sqlite3_column_bytes(row, 1) == 0 }
        guard let bytes = sqlite3_column_blob(row, 1), sqlite3_column_bytes(row, 1) == 16 else { return false }
        return memcmp(bytes, &item, 16) == 0
    }

    private static func name(_ row: OpaquePointer?) -> RecordName? {
        let item = blob(row, 1)
        guard let key = KeyDigest(bytes: blob(row, 0)), item.isEmpty || item.count == 16 else { return nil }
        return RecordName(key, item: UUID(item))
    }

    /// A record without its body, after the columns of its name; `nil` when it is damaged.
    private static func head(_ row: OpaquePointer?, _ name: RecordName) -> DiskRecord? {
        let packed = blob(row, 4)
        guard let keptUntil = date(row, 2),
            DiskRecord.sum(packed: packed, keptUntil: keptUntil, seed: name.seed)
                == UInt64(bitPattern: sqlite3_column_int64(row, 3))
        else { return nil }
        return DiskRecord(item: name.item, packed: packed, body: Data(), keptUntil: keptUntil)
    }

    private static func blob(_ row: OpaquePointer?, _ column: Int32) -> Data {
        // An empty one has no address; what is no blob at all is not what its checksum was made of.
        guard let bytes = sqlite3_column_blob(row, column) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(row, column)))
    }

    private static func date(_ row: OpaquePointer?, _ column: Int32) -> Date? {
        guard sqlite3_column_type(row, column) == SQLITE_FLOAT else { return nil }
        return Date(timeIntervalSinceReferenceDate: sqlite3_column_double(row, column))
    }

    private static func stamp(_ row: OpaquePointer?, _ head: Int32, _ body: Int32) -> DiskRecord.Stamp {
        DiskRecord.Stamp(
            head: UInt64(bitPattern: sqlite3_column_int64(row, head)),
            body: UInt64(bitPattern: sqlite3_column_int64(row, body)))
    }
}
