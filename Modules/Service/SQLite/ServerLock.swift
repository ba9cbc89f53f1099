import StrataService
import StrataSystem

/// Lets one server at a time use a database file. The lock ends with this value or with the process.
///
/// The lock file is beside the database, not beside a symbolic link to it. The database itself cannot be locked: closing a
/// descriptor of that file releases SQLite's locks.
struct ServerLock: Sendable {
    private let lock: FileLock

    /// - Parameters:
    ///   - path: The database, without symbolic links.
    ///   - name: The name of the database in error texts.
    /// - Throws: `StoreError.unavailable` when another process holds the lock, or the lock file cannot be created.
    init(database path: String, name: String) throws(StoreError) {
        let file = path + ".lock"
        let taken: FileLock?
        do throws(Errno) { taken = try FileLock.attempt(file) } catch {
            throw .unavailable("Cannot lock '\(file)': \(error).")
        }
        guard let taken else {
            throw .unavailable("Another server uses the database '\(name)'; stop it, or choose another file.")
        }
        lock = taken
    }

    /// Ends the lock.
    func release() { lock.unlock() }
}
