/// A directory for its owner only, mode 0700. Every function blocks.
package struct PrivateDirectory: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// Creates the directory and its missing parents durably, with mode 0700 whatever the umask. One that is there stays as
    /// it is.
    package func create() throws(Errno) {
        do throws(Errno) { try createLast() } catch {
            let parent = path.directoryPath
            guard error == .noSuchFileOrDirectory, parent != path else { throw error }
            try PrivateDirectory(parent).create()
            try createLast()
        }
    }

    /// Creates the directory, or accepts the one that is there when other users cannot plant or swap files in it.
    package func prepare() throws(PrivateDirectoryError) {
        let status: Stat
        do throws(Errno) {
            try create()
            status = try Stat(path: path, following: true)
        } catch {
            throw .unusable(path, error)
        }
        guard status.isDirectory else { throw .notDirectory(path) }
        guard status.isOwnedByUser else { throw .foreign(path, owner: status.owner) }
        guard status.permissionBits & 0o022 == 0 else { throw .writable(path, mode: status.permissionBits) }
    }

    /// Brings the names in the directory to the disk: created, renamed and removed files.
    package func synchronize() throws(Errno) {
        let descriptor = try openFile(path, O_RDONLY | O_DIRECTORY)
        defer { descriptor.release() }
        try descriptor.synchronize()
    }

    private func createLast() throws(Errno) {
        do throws(Errno) { try systemCall { mkdir(path, 0o700) } } catch {
            // Another process may have created it in the meantime.
            if error == .fileExists { return }
            throw error
        }
        try systemCall { chmod(path, 0o700) }
        // A parent of another user may be closed to this one; its own owner brings it to the disk.
        try? PrivateDirectory(path.directoryPath).synchronize()
    }
}

/// Why a directory does not keep files private, with the next step.
package enum PrivateDirectoryError: Error, Sendable, Hashable, CustomStringConvertible {
    case unusable(String, Errno)
    case notDirectory(String)
    case foreign(String, owner: uid_t)
    case writable(String, mode: mode_t)

    package var description: String {
        switch self {
        case .unusable(let path, let error):
            "Cannot use the directory '\(path)': \(error). Choose another or make it writable."
        case .notDirectory(let path): "'\(path)' is not a directory; move it away, a directory of that name is needed."
        case .foreign(let path, let owner):
            "The directory '\(path)' belongs to user id \(owner); run as that user or choose another directory."
        case .writable(let path, let mode):
            "Others may write into '\(path)' (mode 0\(String(mode, radix: 8))); run 'chmod 700 \(path)' first."
        }
    }
}
