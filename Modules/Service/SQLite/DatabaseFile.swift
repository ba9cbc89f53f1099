import StrataService

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Makes a database file that only its owner can read, before SQLite opens it: SQLite alone would follow the umask.
enum DatabaseFile {
    /// Creates missing directories with mode 0700 and a missing file with mode 0600; narrows a wider file of ours.
    ///
    /// - Returns: The path of the file itself, without symbolic links: where SQLite keeps its log.
    /// - Throws: `StoreError.unavailable` with the path and the system's reason; also for a file with a second hard link,
    ///   under which it would have a second log.
    static func prepare(_ path: String) throws(StoreError) -> String {
        try create(path)
        guard let real = realpath(path, nil) else { throw failure("resolve", path) }
        defer { free(real) }
        return String(cString: real)
    }

    private static func create(_ path: String) throws(StoreError) {
        try createDirectories(of: path)
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
            return
        }
        guard errno == EEXIST else { throw failure("create", path) }
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure("read", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .unavailable("'\(path)' is no regular file; choose another path for the database.")
        }
        guard status.st_nlink == 1 else {
            throw .unavailable(
                "'\(path)' has \(status.st_nlink) hard links, and a database under two names loses data; remove the others, or "
                    + "copy the file.")
        }
        // By name: opening and closing the file here would drop locks that SQLite holds in this process.
        if status.st_uid == geteuid(), status.st_mode & 0o077 != 0 { chmod(path, 0o600) }
    }

    private static func createDirectories(of path: String) throws(StoreError) {
        let names = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        var directory = path.hasPrefix("/") ? "" : "."
        for name in names {
            directory += "/\(name)"
            guard mkdir(directory, 0o700) == 0 || errno == EEXIST || errno == EISDIR || errno == EROFS else {
                throw failure("create the directory", directory)
            }
        }
    }

    private static func failure(_ action: String, _ path: String) -> StoreError {
        .unavailable("Cannot \(action) '\(path)': \(String(cString: strerror(errno))).")
    }
}
