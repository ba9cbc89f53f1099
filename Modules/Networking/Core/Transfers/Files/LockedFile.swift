import StrataDomain

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file that no other process has: `flock` on the part itself.
///
/// The system gives the lock back when its holder dies.
struct LockedFile: Sendable {
    let path: String
    /// What the file will replace: the destination as given, or what it leads to as a link.
    let destination: String
    let descriptor: Int32
    let size: Int64

    /// Opens the file at its end, or makes it. Blocks, but does not wait for another holder.
    ///
    /// - Parameter named: The destination, which the file lies beside with `.part` behind its name. Links are followed, so
    ///   that two names of one file have one lock.
    /// - Throws: `.storage` when the destination is no place for a file, or somebody else holds the lock.
    init(for named: String) throws(NetworkError) {
        do {
            destination = try LinkTarget.path(of: named)
        } catch {
            throw NetworkError(
                .storage("'\(named)' cannot be written: \(error.reason). Check where the link leads."))
        }
        let (path, destination) = (destination + ".part", destination)
        self.path = path
        let present = try? FileStatus(path: destination)
        if let present, !present.isRegular {
            throw NetworkError(
                .storage(
                    "'\(destination)' is \(present.isDirectory ? "a directory" : "no regular file"); name a file to write."
                ))
        }
        do throws(SystemError) {
            while true {
                // Who may not read what is there may not read what takes its place; its owner may go on with it.
                let rights = present.map { $0.rights | 0o600 }
                let descriptor = try checked {
                    open(
                        path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_APPEND,
                        rights == nil ? 0o666 : 0o600)
                }
                do throws(SystemError) {
                    try checked { flock(descriptor, LOCK_EX | LOCK_NB) }
                    let held = try FileStatus(descriptor: descriptor)
                    // Its last holder may have put it in place or removed it before we had the lock.
                    if let named = try? FileStatus(path: path), held.isSameFile(as: named), held.isRegular {
                        // What somebody else put here, as anyone can in /tmp, is no beginning of ours; and another name of
                        // the same file must not be written through this one.
                        guard held.isOurs else { throw SystemError(code: Self.foreign) }
                        if let rights, held.rights != rights { try checked { fchmod(descriptor, rights) } }
                        self.descriptor = descriptor
                        size = held.size
                        return
                    }
                    guard held.isRegular else { throw SystemError(code: EINVAL) }
                    close(descriptor)
                } catch {
                    close(descriptor)
                    throw error
                }
            }
        } catch {
            throw NetworkError(.storage(Self.text(error, path: path, destination: destination)))
        }
    }

    /// No system call of those above fails with it.
    private static let foreign = ENOTUNIQ

    private static func text(_ error: SystemError, path: String, destination: String) -> String {
        switch error.code {
        case EWOULDBLOCK:
            "'\(destination)' is being downloaded by another process; wait until it is done, or name another file."
        case ENOENT: "'\(destination)' cannot be written: its directory does not exist. Make it, or name another file."
        case ELOOP: "'\(path)' is a symbolic link, which is not followed; remove it."
        case EINVAL: "'\(path)' is no regular file; remove it."
        case foreign:
            "'\(path)' belongs to another user or has a second name, so nothing is added to it; remove it, or name another file."
        default: "'\(destination)' cannot be written: \(error.reason). Check the path and who may write there."
        }
    }
}
