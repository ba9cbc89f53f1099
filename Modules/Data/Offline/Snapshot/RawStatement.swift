import GRDB
import GRDBSQLite

/// A prepared statement without GRDB's wrapping, to write more than a hundred thousand rows a second.
///
/// GRDB does not see its changes: call `Database.notifyChanges` after them.
final class RawStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer

    init(_ db: Database, _ sql: String) throws {
        guard let connection = db.sqliteConnection else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection is closed")
        }
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, sql, -1, &handle, nil)
        guard code == SQLITE_OK, let handle else { throw Self.failure(code, connection) }
        (self.handle, self.connection) = (handle, connection)
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds text that is not copied: it must stay valid until the statement has run.
    func bind(_ place: Int, _ text: UnsafeBufferPointer<UInt8>) {
        _ = text.withMemoryRebound(to: CChar.self) {
            sqlite3_bind_text(handle, Int32(place), $0.baseAddress, Int32($0.count), nil)
        }
    }

    /// Binds a copy of text.
    func bindCopy(_ place: Int, _ text: [UInt8]) {
        // SQLITE_TRANSIENT (sqlite.org/c3ref/c_static.html).
        let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        _ = String(decoding: text, as: UTF8.self).withCString {
            sqlite3_bind_text(handle, Int32(place), $0, Int32(text.count), copying)
        }
    }

    func bind(_ place: Int, _ number: Int) { sqlite3_bind_int64(handle, Int32(place), Int64(number)) }
    func bindNull(_ place: Int) { sqlite3_bind_null(handle, Int32(place)) }

    /// - Returns: The number of rows it changed.
    func run() throws -> Int {
        let code = sqlite3_step(handle)
        sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw Self.failure(code, connection) }
        return Int(sqlite3_changes(connection))
    }

    /// The first value of the first row of a query; `nil` without rows.
    func firstInteger() throws -> Int? {
        defer { sqlite3_reset(handle) }
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return Int(sqlite3_column_int64(handle, 0))
        case SQLITE_DONE: return nil
        case let code: throw Self.failure(code, connection)
        }
    }

    private static func failure(_ code: Int32, _ connection: OpaquePointer) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(connection)))
    }
}
