import StrataDomain
import StrataSystem

/// An open, locked part file. The lock ends with the process, also when it is killed.
struct LockedFile: Sendable {
    let path: String
    /// The file that the part will replace: the given destination, or the end of its symbolic links.
    let destination: String
    let descriptor: FileDescriptor
    let size: Int64

    /// Opens or creates the part. Blocks for the file system, but does not wait for the lock.
    ///
    /// - Parameter named: The destination. The file lies beside it, with `.part` after its name. Links are followed, so that
    ///   two names of one file have one lock.
    /// - Throws: `.storage` when no file can be written there, or another process holds the lock.
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

    /// - Parameter present: The file that will be replaced. The part gets its permissions, with read and write for the owner.
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
                // The last holder may have moved or removed the file before this process had the lock.
                if let named = try? Stat(path: path, following: false), held.isSameFile(as: named) {
                    // In /tmp another user can create the file, or a second name of it.
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

    /// None of these system calls fails with it.
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
