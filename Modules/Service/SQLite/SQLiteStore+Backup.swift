import GRDB
import StrataHTTP
import StrataService
import StrataSystem

extension SQLiteStore {
    /// Copies the database into one complete file at `path`, mode 0600, while others read and write it (SQLite Online Backup
    /// API). The copy is the database of one moment. It replaces a file at `path` when it is on disk, so a failure keeps an
    /// older copy.
    ///
    /// - Throws: `StoreError.unavailable` when the copy cannot be written, or `path` is the database itself.
    public func backUp(to path: String) async throws {
        try await runBlocking { [pool, database = self.path] in
            if let old = try? Stat(path: path, following: true),
                let own = try? Stat(path: database, following: true), old.isSameFile(as: own)
            {
                throw StoreError.unavailable("'\(path)' is the database itself; choose another file.")
            }
            // Two backups to one path at once do not write into one file.
            let part = "\(path).\(UInt64.random(in: .min ... .max).hex).part"
            defer { unlink(part) }
            do throws(Errno) { try PrivateFile.create(part) } catch {
                throw StoreError.unavailable("Cannot create '\(part)': \(error).")
            }
            do {
                let copy = try DatabaseQueue(path: part)
                try pool.backup(to: copy)
                try copy.close()
            } catch let error as DatabaseError { throw StoreError(error) }
            do throws(Errno) {
                let file = try openFile(part, O_RDWR)
                defer { file.release() }
                try file.synchronize()
                try DurableFile(path).place(part)
                try DurableFile(path).synchronizeName()
            } catch { throw StoreError.unavailable("Cannot write '\(path)': \(error).") }
        }
    }
}
