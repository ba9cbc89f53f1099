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

/// The least a read from SQLite can do: one prepared statement, one row, and no checksum.
final class BareSQLite {
    private var handle: OpaquePointer?
    private var select: OpaquePointer?

    init(_ path: String) throws {
        sqlite3_open(path, &handle)
        sqlite3_exec(handle, "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF", nil, nil, nil)
        sqlite3_exec(handle, "CREATE TABLE entry (id INTEGER PRIMARY KEY, key BLOB UNIQUE, body BLOB)", nil, nil, nil)
        sqlite3_prepare_v2(handle, "SELECT body FROM entry WHERE key = ?", -1, &select, nil)
    }

    deinit {
        sqlite3_finalize(select)
        sqlite3_close(handle)
    }

    func write(_ body: Data, _ number: Int) throws {
        var insert: OpaquePointer?
        sqlite3_prepare_v2(handle, "INSERT INTO entry (key, body) VALUES (?, ?)", -1, &insert, nil)
        defer { sqlite3_finalize(insert) }
        let key = Self.key(number)
        key.withUnsafeBytes { key in
            body.withUnsafeBytes { body in
                sqlite3_bind_blob(insert, 1, key.baseAddress, Int32(key.count), nil)
                sqlite3_bind_blob(insert, 2, body.baseAddress, Int32(body.count), nil)
                sqlite3_step(insert)
            }
        }
    }

    func read(_ number: Int) -> Data? {
        let key = Self.key(number)
        return key.withUnsafeBytes { key in
            sqlite3_bind_blob(select, 1, key.baseAddress, Int32(key.count), nil)
            defer { sqlite3_reset(select) }
            guard sqlite3_step(select) == SQLITE_ROW, let bytes = sqlite3_column_blob(select, 0) else { return nil }
            return Data(bytes: bytes, count: Int(sqlite3_column_bytes(select, 0)))
        }
    }

    /// As long as the digests of the store.
    private static func key(_ number: Int) -> [UInt8] { (0..<32).map { UInt8(truncatingIfNeeded: number &* (7 + $0)) } }
}
