import StrataService
import StrataSystem

/// Keeps a second server away from a database file, for as long as this value lives or until the process ends.
///
/// The lock file lies beside the database itself, not beside a symbolic link to it. A lock on the database would not do:
/// closing any descriptor of that file drops SQLite's locks.
struct ServerLock: Sendable {
    private let lock: FileLock

    /// Blocks only for the file system.
    ///
    /// - Parameters:
    ///   - path: The database, without symbolic links.
    ///   - name: The name of the database in messages.
    /// - Throws: `StoreError.unavailable` when another process holds the lock, or the file cannot be made.
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

    /// Lets the next server in.
    func release() { lock.unlock() }
}
