#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The error number of a failed system call.
struct SystemError: Error, Equatable {
    let code: Int32

    /// The system's words for it: `No space left on device`.
    var reason: String { String(cString: strerror(code)) }
}

/// The result of `call`, made again while a signal interrupts it.
///
/// - Parameter call: Answers below zero when it failed and `errno` says why, as system calls do.
@discardableResult
func checked<Result: SignedInteger>(_ call: () -> Result) throws(SystemError) -> Result {
    while true {
        let result = call()
        if result >= 0 { return result }
        let code = errno
        if code != EINTR { throw SystemError(code: code) }
    }
}

/// What the system knows about a file.
struct FileStatus: Sendable {
    private let status: stat

    /// Of an open file.
    init(descriptor: Int32) throws(SystemError) {
        var status = stat()
        try checked { fstat(descriptor, &status) }
        self.status = status
    }

    /// Of a path; a symbolic link stands for itself.
    init(path: String) throws(SystemError) {
        var status = stat()
        try checked { lstat(path, &status) }
        self.status = status
    }

    var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
    var isDirectory: Bool { status.st_mode & S_IFMT == S_IFDIR }
    var isLink: Bool { status.st_mode & S_IFMT == S_IFLNK }
    /// Whether it is this user's, under one name.
    var isOurs: Bool { status.st_uid == geteuid() && status.st_nlink == 1 }
    var size: Int64 { Int64(status.st_size) }
    /// Who may read, write and execute it; not what else `chmod` can set, such as in whose name it runs.
    var rights: mode_t { status.st_mode & 0o777 }

    func isSameFile(as other: FileStatus) -> Bool {
        status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
    }

    /// Same file, same length, not written in between.
    func isUnchanged(since other: FileStatus) -> Bool {
        isSameFile(as: other) && size == other.size && status.st_mtim.tv_sec == other.status.st_mtim.tv_sec
            && status.st_mtim.tv_nsec == other.status.st_mtim.tv_nsec
    }
}
