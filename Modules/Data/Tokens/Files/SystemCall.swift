#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
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
struct FileStatus {
    private let status: stat

    /// Of an open file.
    init(descriptor: Int32) throws(SystemError) {
        var status = stat()
        try checked { fstat(descriptor, &status) }
        self.status = status
    }

    /// Of a path.
    ///
    /// - Parameter following: Whether a symbolic link at the end of the path stands for its target.
    init(path: String, following: Bool) throws(SystemError) {
        var status = stat()
        try checked { following ? stat(path, &status) : lstat(path, &status) }
        self.status = status
    }

    var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
    var isDirectory: Bool { status.st_mode & S_IFMT == S_IFDIR }
    var isLink: Bool { status.st_mode & S_IFMT == S_IFLNK }
    var owner: UInt32 { status.st_uid }
    var isOurs: Bool { status.st_uid == geteuid() }
    /// The permission bits: `0o600`.
    var mode: UInt32 { status.st_mode & 0o7777 }
    /// Names of the file, in all directories.
    var links: Int { Int(status.st_nlink) }

    func isSameFile(as other: FileStatus) -> Bool {
        status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
    }
}

/// `read(2)`, under a name that types with a method `read` can use.
func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

/// `write(2)`, under a name that types with a method `write` can use.
func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}

/// `close(2)`, under a name that types with a method `close` can use.
func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
