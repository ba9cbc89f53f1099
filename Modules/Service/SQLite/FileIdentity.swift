#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Which file a path names now: another file at the same path has another identity.
struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// Follows symbolic links. One call of the system.
    ///
    /// - Returns: `nil` when there is no such file, or it cannot be reached.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Bytes of a file; 0 for none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
