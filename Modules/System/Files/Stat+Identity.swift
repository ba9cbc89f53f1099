extension Stat {
    /// The status of the file that `path` names.
    ///
    /// - Parameter following: Whether a symbolic link at the end of the path stands for its target.
    public init(path: String, following: Bool) throws(Errno) {
        try self.init(FilePath(path), followTargetSymlink: following)
    }

    /// Bytes of the file at `path`, symbolic links followed; `nil` when there is none or it cannot be reached.
    public static func size(at path: String) -> Int? { (try? Stat(path: path, following: true)).map { Int($0.size) } }

    /// A file with content, not a directory, symbolic link, pipe, socket or device.
    public var isRegular: Bool { type == .regular }
    /// Whether it is a directory.
    public var isDirectory: Bool { type == .directory }
    /// Whether it is a symbolic link, and not what the link names.
    public var isSymbolicLink: Bool { type == .symbolicLink }

    /// Whether it belongs to the user that this process acts for.
    public var isOwnedByUser: Bool { rawValue.st_uid == geteuid() }

    /// Who may read, write and execute it, with the bits for set-user-id, set-group-id and sticky: `0o600`.
    public var permissionBits: mode_t { rawValue.st_mode & 0o7777 }

    /// The user id of its owner.
    public var owner: uid_t { rawValue.st_uid }

    /// When its content was written last, in whole seconds since 1970.
    public var modifiedSeconds: Int { Int(st_mtim.tv_sec) }

    /// Which file it is.
    public var identity: FileIdentity {
        FileIdentity(device: UInt64(rawValue.st_dev), inode: UInt64(rawValue.st_ino))
    }

    /// Which file it is, in which state.
    public var stamp: FileStamp {
        FileStamp(
            identity: identity, size: size, modified: [Int(st_mtim.tv_sec), Int(st_mtim.tv_nsec)],
            changed: [Int(st_ctim.tv_sec), Int(st_ctim.tv_nsec)])
    }

    /// Whether both are one file, under whatever names.
    public func isSameFile(as other: Stat) -> Bool { identity == other.identity }

    /// Whether it is the same file, with the same length and time of change of its content.
    public func isUnchanged(since other: Stat) -> Bool {
        isSameFile(as: other) && size == other.size && stamp.modified == other.stamp.modified
    }
}

/// Which file a path or a descriptor names; another file at the same path has another identity.
public struct FileIdentity: Sendable, Hashable {
    /// The file system that the file is on.
    public let device: UInt64
    /// The number of the file in its file system.
    public let inode: UInt64
}

/// Which file it is, in which state. Every write, link and rename changes it, and a program cannot set the time of change
/// back.
public struct FileStamp: Sendable, Hashable {
    /// Which file it is.
    public let identity: FileIdentity
    /// Bytes of the content.
    public let size: Int64
    /// When the content was written last: seconds and nanoseconds since 1970.
    public let modified: [Int]
    let changed: [Int]
}

extension String {
    /// The path of the directory a path lies in: `/a` for `/a/b`, `/` for `/a`, `.` for `b`.
    public var directoryPath: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }

    /// The last component of a path: `b` for `/a/b`.
    public var fileName: String { lastIndex(of: "/").map { String(self[index(after: $0)...]) } ?? self }
}
