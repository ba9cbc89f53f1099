import StrataSystem

/// Why a file cannot be written, as its file system says: SQLite names only the call that failed.
enum WriteObstacle: Sendable, Hashable {
    /// Less is left than the 64 KiB that SQLite needs beside its database.
    case full
    case readOnlyFileSystem
    /// The file or its directory is not this user's to write.
    case permission

    /// - Parameter path: Of the database; a missing one is asked about its directory.
    /// - Returns: `nil` where nothing stands in the way now.
    static func found(at path: String) -> WriteObstacle? {
        let directory = path.directoryPath
        var system = statvfs()
        guard statvfs(path, &system) == 0 || statvfs(directory, &system) == 0 else { return nil }
        if system.f_flag & UInt(ST_RDONLY) != 0 { return .readOnlyFileSystem }
        if UInt64(system.f_bavail) * UInt64(system.f_frsize) < needed { return .full }
        if access(directory, W_OK) != 0 || access(path, F_OK) == 0 && access(path, W_OK) != 0 { return .permission }
        return nil
    }

    private static let needed: UInt64 = 64 << 10
}
