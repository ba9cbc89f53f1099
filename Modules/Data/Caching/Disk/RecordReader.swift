import FoundationEssentials
import GRDBSQLite

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
    private var record: OpaquePointer?
    private var body: OpaquePointer?
    private var heads: OpaquePointer?
    private var stamp: OpaquePointer?
    private var version: OpaquePointer?
    private var count: OpaquePointer?

    init(path: String) throws(Failure) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
        try check(sqlite3_open_v2(path, &handle, flags, nil))
        sqlite3_busy_timeout(handle, 100)
        record = try prepared("SELECT keptUntil, headSum, bodySum, head, body FROM entry WHERE key = ?1 AND item = ?2")
        body = try prepared("SELECT bodySum, body FROM entry WHERE key = ?1 AND item = ?2")
        heads = try prepared("SELECT keptUntil, headSum, item, head FROM entry WHERE key = ?1 ORDER BY id DESC")
        stamp = try prepared("SELECT headSum, bodySum FROM entry WHERE key = ?1 AND item = ?2")
        version = try prepared("PRAGMA data_version")
        count = try prepared("SELECT count(*) FROM entry")
    }

    deinit {
        for statement in [record, body, heads, stamp, version, count] { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Changes with each commit of another connection.
    func dataVersion() throws(Failure) -> Int {
        try first(version, nil) { Int(sqlite3_column_int64($0, 0)) } ?? 0
    }

    func entries() throws(Failure) -> Int { try first(count, nil) { Int(sqlite3_column_int64($0, 0)) } ?? 0 }

    /// - Returns: `.damaged` when the row is not what was written under this name.
    func record(_ name: RecordName) throws(Failure) -> Found<DiskRecord> {
        try first(record, name) { row in
            let keptUntil = Self.date(row, 0)
            guard let packed = Self.blob(row, 3), let body = Self.blob(row, 4), let keptUntil,
                let record = DiskRecord(item: name.item, packed: packed, body: body, keptUntil: keptUntil),
                record.stamp(for: name.key, packed: packed) == Self.stamp(row, 1, 2)
            else { return .damaged }
            return .whole(record)
        } ?? .missing
    }

    /// The body alone, which is cheaper.
    func body(_ name: RecordName) throws(Failure) -> Found<Data> {
        try first(body, name) { row in
            guard let body = Self.blob(row, 1),
                Checksum.of(body, seed: name.seed) == UInt64(bitPattern: sqlite3_column_int64(row, 0))
            else { return .damaged }
            return .whole(body)
        } ?? .missing
    }

    func stamp(_ name: RecordName) throws(Failure) -> DiskRecord.Stamp? {
        try first(stamp, name) { Self.stamp($0, 0, 1) }
    }

    /// Without bodies, latest first; damaged ones only by name.
    func heads(of key: KeyDigest) throws(Failure) -> (whole: [DiskRecord], damaged: [RecordName]) {
        var (whole, damaged): ([DiskRecord], [RecordName]) = ([], [])
        try rows(heads, RecordName(key)) { row in
            let item = Self.blob(row, 2) ?? Data()
            let name = RecordName(key, item: item)
            if let keptUntil = Self.date(row, 0), let packed = Self.blob(row, 3),
                DiskRecord.sum(packed: packed, keptUntil: keptUntil, seed: name.seed)
                    == UInt64(bitPattern: sqlite3_column_int64(row, 1)),
                let record = DiskRecord(item: item, packed: packed, body: Data(), keptUntil: keptUntil)
            {
                whole.append(record)
            } else {
                damaged.append(name)
            }
            return true
        }
        return (whole, damaged)
    }

    enum Found<Value> {
        case whole(Value)
        case damaged
        case missing
    }

    // MARK: - SQLite

    private func prepared(_ text: String) throws(Failure) -> OpaquePointer? {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        return statement
    }

    private func check(_ code: Int32) throws(Failure) {
        if code != SQLITE_OK { throw Failure(code: code) }
    }

    private func first<Value>(
        _ statement: OpaquePointer?, _ name: RecordName?, _ body: (OpaquePointer?) -> Value
    ) throws(Failure) -> Value? {
        var value: Value?
        try rows(statement, name) { row in
            value = body(row)
            return false
        }
        return value
    }

    /// - Parameter body: Returns whether it wants the next row.
    private func rows(
        _ statement: OpaquePointer?, _ name: RecordName?, _ body: (OpaquePointer?) -> Bool
    ) throws(Failure) {
        defer { sqlite3_reset(statement) }
        let code: Int32
        if let name {
            code = name.key.bytes.withUnsafeBytes { key in
                name.item.withUnsafeBytes { item in
                    // The bytes outlive the step, so they need not be copied.
                    sqlite3_bind_blob(statement, 1, key.baseAddress, Int32(key.count), nil)
                    if sqlite3_bind_parameter_count(statement) > 1 {
                        sqlite3_bind_blob(statement, 2, item.baseAddress ?? key.baseAddress, Int32(item.count), nil)
                    }
                    let code = walk(statement, body)
                    sqlite3_reset(statement)
                    sqlite3_clear_bindings(statement)
                    return code
                }
            }
        } else {
            code = walk(statement, body)
        }
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw Failure(code: code) }
    }

    private func walk(_ statement: OpaquePointer?, _ body: (OpaquePointer?) -> Bool) -> Int32 {
        while true {
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW else { return code }
            if !body(statement) { return code }
        }
    }

    private static func blob(_ row: OpaquePointer?, _ column: Int32) -> Data? {
        guard sqlite3_column_type(row, column) == SQLITE_BLOB else { return nil }
        let count = Int(sqlite3_column_bytes(row, column))
        guard count > 0 else { return Data() }
        guard let bytes = sqlite3_column_blob(row, column) else { return nil }
        return Data(bytes: bytes, count: count)
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
