import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An open file whose bytes can be locked against other processes.
///
/// The locks are those of an open file description (`fcntl_locking(2)`, F_OFD_SETLK): the system gives them back when
/// this value ends or its process dies, and closing another descriptor of the file does not. Within one value nothing
/// excludes anything. The file is never removed by us: that would let two holders in, on the old file and on the new.
final class LockFile: Sendable {
    let path: String
    let descriptor: Int32

    /// Why a file cannot be locked.
    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    enum Mode: Sendable { case shared, exclusive }

    /// Opens the file, made for its owner only where there is none, with the directories above it. Blocks.
    init(_ path: String) throws(Unusable) {
        self.path = path
        descriptor = try Self.descriptor(of: path)
    }

    deinit { close(descriptor) }

    /// Locks `length` bytes, without waiting.
    ///
    /// - Returns: Whether they are locked now; `false` when somebody else has one of them.
    func attempt(_ mode: Mode, at place: Int64, length: Int64 = 1) throws(Unusable) -> Bool {
        while true {
            guard set(mode == .shared ? F_RDLCK : F_WRLCK, place, length) != 0 else { return true }
            switch errno {
            case EINTR: continue
            case EAGAIN, EACCES: return false
            default: throw Unusable(description: "'\(path)' cannot be locked: \(Self.reason).")
            }
        }
    }

    func unlock(at place: Int64, length: Int64 = 1) { _ = set(F_UNLCK, place, length) }

    /// Whether its path still leads to it; a cache may be removed as a whole while it is in use.
    var isInPlace: Bool {
        var (held, named) = (stat(), stat())
        return fstat(descriptor, &held) == 0 && lstat(path, &named) == 0 && held.st_ino == named.st_ino
            && held.st_dev == named.st_dev
    }

    private func set(_ type: some BinaryInteger, _ place: Int64, _ length: Int64) -> Int32 {
        var range = flock()
        range.l_type = Int16(type)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(place)
        range.l_len = off_t(length)
        return fcntl(descriptor, Self.setLock, &range)
    }

    /// `F_OFD_SETLK`, which the C headers show to GNU sources only; the number is part of the kernel's interface.
    private static let setLock: Int32 = 37

    private static func descriptor(of path: String) throws(Unusable) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        var descriptor = open(path, flags, 0o600)
        if descriptor < 0, errno == ENOENT, let slash = path.lastIndex(of: "/") {
            try? FileManager.default.createDirectory(
                atPath: String(path[..<slash]), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            descriptor = open(path, flags, 0o600)
        }
        guard descriptor >= 0 else { throw Unusable(description: "'\(path)' cannot be opened: \(reason).") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            close(descriptor)
            throw Unusable(description: "'\(path)' is not a regular file of ours.")
        }
        return descriptor
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
