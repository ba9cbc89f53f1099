package import FoundationEssentials

/// Opens a file; the descriptor is closed in every other program that this process starts.
///
/// - Parameters:
///   - flags: Of `open(2)`; `O_CLOEXEC` is added.
///   - mode: The permissions of a file that is created, before the umask. Default: read and write for the owner.
package func openFile(_ path: String, _ flags: CInt, mode: mode_t = 0o600) throws(Errno) -> FileDescriptor {
    FileDescriptor(rawValue: try systemCall { open(path, flags | O_CLOEXEC, mode) })
}

extension FileDescriptor {
    /// Brings the content and the length of the file to the disk.
    package func synchronize() throws(Errno) { try systemCall { fsync(rawValue) } }

    package func setPermissions(_ mode: mode_t) throws(Errno) { try systemCall { fchmod(rawValue, mode) } }

    /// Writes all of `bytes` at the current position.
    package func append(_ bytes: some Sequence<UInt8>) throws(Errno) { try throwingErrno { try writeAll(bytes) } }

    /// The bytes from the current position to the end.
    ///
    /// - Throws: `.fileTooLarge` where there are more than `limit` bytes.
    package func readAll(limit: Int) throws(Errno) -> Data {
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

    /// Closes the descriptor. A failure has no meaning for the caller after `synchronize`.
    package func release() { try? close() }
}
