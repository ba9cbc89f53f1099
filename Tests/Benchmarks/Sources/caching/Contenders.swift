import FoundationEssentials
import GRDBSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The least a store in files can do: one file an entry, written aside and renamed, and no checksum.
struct FileStore {
    private let directory: String

    init(_ directory: String) throws {
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    func write(_ body: Data, _ number: Int) throws {
        let path = "\(directory)/\(number)"
        let descriptor = open(path + ".new", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let count = body.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        guard count == body.count, rename(path + ".new", path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    func read(_ number: Int) -> Data? {
        let descriptor = open("\(directory)/\(number)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        var body = Data(count: Int(status.st_size))
        let count = body.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return count == body.count ? body : nil
    }
}

/// The least a read from SQLite can do: one prepared statement, one row, and no checksum; settings as the store has them.
final class BareSQLite {
    private var handle: OpaquePointer?
    private var select: OpaquePointer?
    /// Made beforehand, as long as the digests of the store.
    private let keys: [[UInt8]]

    init(_ path: String, count: Int) throws {
        keys = (0..<count).map { number in (0..<32).map { UInt8(truncatingIfNeeded: number &* (7 + $0)) } }
        sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        for text in [
            "PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL",
            "PRAGMA secure_delete = ON", "PRAGMA cell_size_check = ON",
            "CREATE TABLE entry (id INTEGER PRIMARY KEY, key BLOB UNIQUE, body BLOB)",
        ] { sqlite3_exec(handle, text, nil, nil, nil) }
        let text = "SELECT body FROM entry WHERE key = ?"
        sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &select, nil)
    }

    deinit {
        sqlite3_finalize(select)
        sqlite3_close(handle)
    }

    func write(_ body: Data, _ number: Int) throws {
        var insert: OpaquePointer?
        sqlite3_prepare_v2(handle, "INSERT INTO entry (key, body) VALUES (?, ?)", -1, &insert, nil)
        defer { sqlite3_finalize(insert) }
        keys[number].withUnsafeBytes { key in
            body.withUnsafeBytes { body in
                sqlite3_bind_blob(insert, 1, key.baseAddress, Int32(key.count), nil)
                sqlite3_bind_blob(insert, 2, body.baseAddress, Int32(body.count), nil)
                sqlite3_step(insert)
            }
        }
    }

    func read(_ number: Int) -> Data? {
        keys[number].withUnsafeBytes { key in
            sqlite3_bind_blob(select, 1, key.baseAddress, Int32(key.count), nil)
            defer { sqlite3_reset(select) }
            guard sqlite3_step(select) == SQLITE_ROW, let bytes = sqlite3_column_blob(select, 0) else { return nil }
            return Data(bytes: bytes, count: Int(sqlite3_column_bytes(select, 0)))
        }
    }
}
