import StrataDomain
import StrataSystem

/// An open file that no other process has: its own lock is taken.
///
/// The system ends the lock with its holder, also when that is killed.
struct LockedFile: Sendable {
    let path: String
    /// The file that this one will replace: the destination as given, or the end of its symbolic links.
    let destination: String
    let descriptor: FileDescriptor
    let size: Int64

    /// Opens the file at its end, or makes it. Blocks, but does not wait for another holder.
    ///
    /// - Parameter named: The destination. The file lies beside it, with `.part` after its name. Links are followed, so that
    ///   two names of one file have one lock.
    /// - Throws: `.storage` when the destination is no place for a file, or another process holds the lock.
    init(for named: String) throws(NetworkError) {
        do {
            destination = try LinkTarget.path(of: named)
        } catch {
            throw NetworkError(.storage("'\(named)' cannot be written: \(error). Check where the link leads."))
        }
        path = destination + ".part"
        let present = try? Stat(path: destination, following: false)
        if let present, !present.isRegular {
            throw NetworkError(
                .storage(
                    "'\(destination)' is \(present.isDirectory ? "a directory" : "no regular file"); name a file to write."
                ))
        }
        do throws(Errno) {
            (descriptor, size) = try Self.open(path, replacing: present)
        } catch {
            throw NetworkError(.storage(Self.text(error, path: path, destination: destination)))
        }
    }

    /// - Parameter present: The file to be replaced. Its permissions are the new file's from the start: a user who may not
    ///   read the one may not read the other; the owner may go on with it.
    private static func open(
        _ path: String, replacing present: Stat?
    ) throws(Errno) -> (descriptor: FileDescriptor, size: Int64) {
        let mode = present.map { $0.permissionBits & 0o777 | 0o600 }
        while true {
            let descriptor = try openFile(
                path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_APPEND, mode: mode == nil ? 0o666 : 0o600)
            do throws(Errno) {
                guard try descriptor.tryLock() else { throw .wouldBlock }
                let held = try Stat(descriptor)
                guard held.isRegular else { throw .invalidArgument }
                // The last holder may have put it in place or removed it before this process had the lock.
                if let named = try? Stat(path: path, following: false), held.isSameFile(as: named) {
                    // Another user's file, as anyone can put into /tmp, is no beginning of this download; and another name
                    // of the same file must not be written through this one.
                    guard held.isOwnedByUser, held.linkCount == 1 else { throw foreign }
                    if let mode, held.permissionBits & 0o777 != mode { try descriptor.setPermissions(mode) }
                    return (descriptor, held.size)
                }
                descriptor.release()
            } catch {
                descriptor.release()
                throw error
            }
        }
    }

    /// No system call of those above fails with it.
    private static let foreign = Errno(rawValue: ENOTUNIQ)

    private static func text(_ error: Errno, path: String, destination: String) -> String {
        switch error {
        case .wouldBlock:
            "'\(destination)' is being downloaded by another process; wait until it is done, or name another file."
        case .noSuchFileOrDirectory:
            "'\(destination)' cannot be written: its directory does not exist. Make it, or name another file."
        case .tooManySymbolicLinkLevels: "'\(path)' is a symbolic link, which is not followed; remove it."
        case .invalidArgument: "'\(path)' is no regular file; remove it."
        case foreign:
            "'\(path)' belongs to another user or has a second name, so nothing is added to it; remove it, or name another file."
        default: "'\(destination)' cannot be written: \(error). Check the path and who may write there."
        }
    }
}
