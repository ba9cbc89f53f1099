extension Stat {
    /// The status of the file that `path` names.
    ///
    /// - Parameter following: Whether a symbolic link at the end of the path stands for its target.
    package init(path: String, following: Bool) throws(Errno) {
        try self.init(FilePath(path), followTargetSymlink: following)
    }

    /// A file with content, not a directory, symbolic link, pipe, socket or device.
    package var isRegular: Bool { type == .regular }
    package var isDirectory: Bool { type == .directory }
    package var isSymbolicLink: Bool { type == .symbolicLink }

    /// Whether it belongs to the user that this process acts for.
    package var isOwnedByUser: Bool { rawValue.st_uid == geteuid() }

    /// Who may read, write and execute it, with the bits for set-user-id, set-group-id and sticky: `0o600`.
    package var permissionBits: mode_t { rawValue.st_mode & 0o7777 }

    /// Whether both are one file, under whatever names.
    package func isSameFile(as other: Stat) -> Bool {
        rawValue.st_dev == other.rawValue.st_dev && rawValue.st_ino == other.rawValue.st_ino
    }

    /// Whether it is the same file, with the same length and time of change of its content.
    package func isUnchanged(since other: Stat) -> Bool {
        isSameFile(as: other) && size == other.size && st_mtim.tv_sec == other.st_mtim.tv_sec
            && st_mtim.tv_nsec == other.st_mtim.tv_nsec
    }
}

extension String {
    /// The path of the directory a path lies in: `/a` for `/a/b`, `/` for `/a`, `.` for `b`.
    package var directoryPath: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }

    /// The last component of a path: `b` for `/a/b`.
    package var fileName: String { lastIndex(of: "/").map { String(self[index(after: $0)...]) } ?? self }
}
