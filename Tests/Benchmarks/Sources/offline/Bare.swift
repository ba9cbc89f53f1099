import FoundationEssentials
import GRDBSQLite

/// SQLite and nothing else: one connection, prepared statements, a write-ahead log with `synchronous=FULL`.
final class Bare {
    struct Failure: Error {
        let code: Int32
    }

    private var handle: OpaquePointer?

    init(_ path: String) throws {
        try Self.check(
            sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil))
        try run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ sql: String) throws { try Self.check(sqlite3_exec(handle, sql, nil, nil, nil)) }
    func prepare(_ sql: String) throws -> Prepared { try Prepared(handle, sql) }

    static func check(_ code: Int32) throws {
        guard [SQLITE_OK, SQLITE_DONE, SQLITE_ROW].contains(code) else { throw Failure(code: code) }
    }

    final class Prepared {
        private var handle: OpaquePointer?

        init(_ connection: OpaquePointer?, _ sql: String) throws {
            try Bare.check(sqlite3_prepare_v2(connection, sql, -1, &handle, nil))
        }

        deinit { sqlite3_finalize(handle) }

        /// Binds texts, then numbers, and runs.
        func run(_ texts: [String], _ numbers: [Int]) throws {
            var place: Int32 = 1
            for text in texts {
                var text = text
                text.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { text in
                        // SQLITE_TRANSIENT
                        _ = sqlite3_bind_text(
                            handle, place, text.baseAddress, Int32(text.count),
                            unsafeBitCast(-1, to: sqlite3_destructor_type.self))
                    }
                }
                place += 1
            }
            for number in numbers {
                sqlite3_bind_int64(handle, place, Int64(number))
                place += 1
            }
            let code = sqlite3_step(handle)
            sqlite3_reset(handle)
            try Bare.check(code)
        }
    }
}
