#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Makes the file of a database, and the directories it lies in, for their owner only. Every call blocks.
///
/// SQLite gives `-wal` and `-shm` the permissions of the file, so they are private too.
enum PrivatePlace {
    /// Makes missing directories with mode 0700 and a missing file with mode 0600, and takes others' permissions off an
    /// existing file. An existing file is never opened: closing it again would drop SQLite's locks of this process.
    ///
    /// - Returns: Whether the file was missing.
    @discardableResult
    static func prepare(_ path: String) throws(SystemFailure) -> Bool {
        try makeDirectory(directory(of: path))
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor < 0 else {
            close(descriptor)
            return true
        }
        let code = errno
        guard code == EEXIST else { throw SystemFailure(code: code) }
        // A file of somebody else stays as it is; opening it says what is wrong.
        _ = chmod(path, 0o600)
        return false
    }

    /// - Returns: `nil` when there is no file.
    static func bytes(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// `/a` for `/a/b`, `.` for `b`.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func makeDirectory(_ path: String) throws(SystemFailure) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let code = errno
        let parent = directory(of: path)
        guard code == ENOENT, parent != path else { throw SystemFailure(code: code) }
        try makeDirectory(parent)
        // Another process may have made it meanwhile.
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemFailure(code: errno) }
    }
}
