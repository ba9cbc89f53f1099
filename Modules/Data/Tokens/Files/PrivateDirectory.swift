import StrataDomain

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A directory in which nobody else may plant or swap files.
struct PrivateDirectory: Sendable {
    let path: String

    /// Makes the directory and its missing parents for the owner only, or accepts the one that is there.
    ///
    /// - Throws: When it belongs to somebody else or others may write into it. Blocks.
    func prepare() throws(TokenStoreError) {
        do {
            try make(path)
            let status = try FileStatus(path: path, following: true)
            try accept(status)
        } catch let error as SystemError {
            throw TokenStoreError(
                "Cannot use the directory '\(path)': \(error.reason). Choose another or make it writable.")
        } catch let error as TokenStoreError {
            throw error
        } catch {
            throw TokenStoreError("Cannot use the directory '\(path)': \(error).")
        }
    }

    /// Makes renames in the directory durable. Blocks.
    func synchronise() throws(SystemError) {
        let descriptor = try checked { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(descriptor) }
        try checked { fsync(descriptor) }
    }

    private func accept(_ status: FileStatus) throws(TokenStoreError) {
        guard status.isDirectory else {
            throw TokenStoreError(
                "'\(path)' is not a directory; move it away, tokens are kept in a directory of that name.")
        }
        guard status.isOurs else {
            throw TokenStoreError(
                "The directory '\(path)' belongs to user id \(status.owner); run as that user or choose another directory."
            )
        }
        guard status.mode & 0o022 == 0 else {
            throw TokenStoreError(
                "Others may write into '\(path)' (mode \(status.mode.octal)); run 'chmod 700 \(path)' first.")
        }
    }

    private func make(_ path: String) throws(SystemError) {
        do { try create(path) } catch {
            guard error.code == ENOENT, path.directoryPart != path else { throw error }
            try make(path.directoryPart)
            try create(path)
        }
    }

    /// Makes one directory durably; another process may have made it meanwhile.
    private func create(_ path: String) throws(SystemError) {
        do { try checked { mkdir(path, 0o700) } } catch {
            if error.code == EEXIST { return }
            throw error
        }
        // Whatever the umask takes away.
        try checked { chmod(path, 0o700) }
        // Not every parent may be opened; those that we made may.
        try? PrivateDirectory(path: path.directoryPart).synchronise()
    }
}

extension String {
    /// The path of the directory a path lies in: `/a` for `/a/b`, `.` for `b`.
    var directoryPart: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }

    /// The last component of a path.
    var namePart: String { lastIndex(of: "/").map { String(self[index(after: $0)...]) } ?? self }
}

extension UInt32 {
    /// As people write permissions: `0644`.
    var octal: String { "0" + String(self, radix: 8) }
}
