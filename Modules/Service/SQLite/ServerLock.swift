import StrataConcurrency
import StrataService

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Keeps a second server away from a database file, for as long as this value lives or until the process ends.
///
/// The lock is `flock` on a file of its own: closing any descriptor of the database itself would drop SQLite's locks. It
/// lies beside the file itself, not beside a symbolic link to it; a file with a second hard link is not opened at all.
final class ServerLock: Sendable {
    private let descriptor: Mutex<CInt?>

    /// Blocks only for the file system.
    ///
    /// - Parameters:
    ///   - path: The database, without symbolic links.
    ///   - name: What messages call it.
    /// - Throws: `StoreError.unavailable` when another process holds the lock, or the file cannot be made.
    init(database path: String, name: String) throws(StoreError) {
        let file = path + ".lock"
        let descriptor = open(file, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .unavailable("Cannot open '\(file)': \(String(cString: strerror(errno))).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            close(descriptor)
            throw .unavailable(
                reason == EWOULDBLOCK
                    ? "Another server uses the database '\(name)'; stop it, or choose another file."
                    : "Cannot lock '\(file)': \(String(cString: strerror(reason))).")
        }
        self.descriptor = Mutex(descriptor)
    }

    deinit { release() }

    /// Lets the next server in.
    func release() {
        descriptor.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }
}
