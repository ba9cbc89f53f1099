public import FoundationEssentials

/// Opens a file; the descriptor is closed in every other program that this process starts.
///
/// - Parameters:
///   - flags: Of `open(2)`; `O_CLOEXEC` is added.
///   - mode: The permissions of a file that is created, before the umask. Default: read and write for the owner.
public func openFile(_ path: String, _ flags: CInt, mode: mode_t = 0o600) throws(Errno) -> FileDescriptor {
    FileDescriptor(rawValue: try systemCall { open(path, flags | O_CLOEXEC, mode) })
}

/// `FileDescriptor` under a name for files that import NIOCore, which has a protocol of that name.
public typealias OpenFile = FileDescriptor

extension FileDescriptor {
    /// Brings the content and the length of the file to the disk.
    public func synchronize() throws(Errno) { try systemCall { fsync(rawValue) } }

    /// Sets who may read, write and execute the file.
    public func setPermissions(_ mode: mode_t) throws(Errno) { try systemCall { fchmod(rawValue, mode) } }

    /// Writes all of `bytes` at the current position.
    public func append(_ bytes: some Sequence<UInt8>) throws(Errno) { try throwingErrno { try writeAll(bytes) } }

    /// The bytes from the current position to the end.
    ///
    /// - Throws: `.fileTooLarge` where there are more than `limit` bytes.
    public func readAll(limit: Int) throws(Errno) -> Data {
        var bytes = Data()
        var chunk = [UInt8](repeating: 0, count: min(limit + 1, 16_384))
        while true {
            let count = try throwingErrno { try chunk.withUnsafeMutableBytes { try read(into: $0) } }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= limit else { throw .fileTooLarge }
        }
    }

    /// Takes the lock of the open file (`flock(2)`) without waiting; a lock of the other mode that it holds is converted.
    ///
    /// - Returns: Whether it is taken; `false` when another open file holds it.
    package func tryLock(_ mode: FileLock.Mode = .exclusive) throws(Errno) -> Bool {
        do throws(Errno) {
            try systemCall { flock(rawValue, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
            return true
        } catch {
            if error == .wouldBlock { return false }
            throw error
        }
    }

    /// Whether the number belongs to an open file.
    public var isOpen: Bool { fcntl(rawValue, F_GETFD) >= 0 }

    /// Closes the descriptor in every program that this process starts. For descriptors that `openFile` did not open.
    public func setCloseOnExec() throws(Errno) { try systemCall { fcntl(rawValue, F_SETFD, FD_CLOEXEC) } }

    /// Sets whether reads and writes wait, and clears `O_APPEND`.
    public func setBlocking(_ isBlocking: Bool) throws(Errno) {
        try systemCall { fcntl(rawValue, F_SETFL, isBlocking ? 0 : O_NONBLOCK) }
    }

    /// Closes the descriptor. A failure has no meaning for the caller after `synchronize`.
    public func release() { try? close() }
}
