import GRDB
import GRDBSQLite

/// A prepared statement without GRDB's wrapping, for writing hundreds of thousands of rows a second.
///
/// Bound bytes are not copied: they stay valid until the statement has run. What it changes has to be told to GRDB by
/// `Database.notifyChanges`.
final class RawStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer

    init(_ db: Database, _ sql: String) throws {
        guard let connection = db.sqliteConnection else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection is closed")
        }
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, sql, -1, &handle, nil)
        guard code == SQLITE_OK, let handle else { throw Self.failure(code, connection, sql) }
        (self.handle, self.connection) = (handle, connection)
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ place: Int, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
        bytes.withMemoryRebound(to: CChar.self, capacity: count) { text in
            _ = sqlite3_bind_text(handle, Int32(place), text, Int32(count), nil)
        }
    }

    /// Binds text that is gone before the statement runs.
    func bindCopy(_ place: Int, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            let text = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            // SQLITE_TRANSIENT (sqlite.org/c3ref/c_static.html).
            let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            if let text {
                _ = sqlite3_bind_text(handle, Int32(place), text, Int32(bytes.count), copying)
            } else {
                _ = sqlite3_bind_text(handle, Int32(place), "", 0, nil)
            }
        }
    }

    func bind(_ place: Int, _ number: Int) { sqlite3_bind_int64(handle, Int32(place), Int64(number)) }
    func bindNull(_ place: Int) { sqlite3_bind_null(handle, Int32(place)) }

    /// - Returns: The number of rows it changed.
    func run() throws -> Int {
        let code = sqlite3_step(handle)
        sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw Self.failure(code, connection, nil) }
        return Int(sqlite3_changes(connection))
    }

    /// The two integers of the first row of a query; `nil` without rows.
    func firstPair() throws -> (Int, Int)? {
        defer { sqlite3_reset(handle) }
        let code = sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return (Int(sqlite3_column_int64(handle, 0)), Int(sqlite3_column_int64(handle, 1)))
        case SQLITE_DONE: return nil
        default: throw Self.failure(code, connection, nil)
        }
    }

    private static func failure(_ code: Int32, _ connection: OpaquePointer, _ sql: String?) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(connection)), sql: sql)
    }
}
