import StrataService
import StrataSystem

/// Creates the database file with private permissions before SQLite opens it. SQLite itself would use the umask.
enum DatabaseFile {
    /// Creates missing directories with mode 0700 and a missing file with mode 0600. Removes the permissions of other users
    /// from an existing file of this user.
    ///
    /// - Returns: The path without symbolic links, beside which SQLite keeps its log.
    /// - Throws: `StoreError.unavailable` with the path and the system's reason; also for a file with several hard
    ///   links, because each name would have its own log.
    static func prepare(_ path: String) throws(StoreError) -> String {
        try create(path)
        guard let real = realpath(path, nil) else {
            throw .unavailable("Cannot resolve '\(path)': \(Errno(rawValue: errno)).")
        }
        defer { free(real) }
        return String(cString: real)
    }

    private static func create(_ path: String) throws(StoreError) {
        if try attempt("create", path, { () throws(Errno) in try PrivateFile.create(path) }) { return }
        let status = try attempt("read", path) { () throws(Errno) in try Stat(path: path, following: true) }
        guard status.isRegular else {
            throw .unavailable("'\(path)' is no regular file; choose another path for the database.")
        }
        guard status.linkCount == 1 else {
            throw .unavailable(
                "'\(path)' has \(status.linkCount) hard links, and a database under two names loses data; remove the others, "
                    + "or copy the file.")
        }
    }

    private static func attempt<Result>(
        _ action: String, _ path: String, _ body: () throws(Errno) -> Result
    ) throws(StoreError) -> Result {
        do throws(Errno) { return try body() } catch {
            throw .unavailable("Cannot \(action) '\(path)': \(error).")
        }
    }
}
