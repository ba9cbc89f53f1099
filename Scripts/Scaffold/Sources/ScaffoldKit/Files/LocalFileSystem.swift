import Glibc

/// The disk, below one folder.
package struct LocalFileSystem: FileSystem {
    /// An absolute path without `/` at the end.
    package let root: String

    /// - Throws: A refusal when `root` is not an absolute path of a folder.
    package init(root: String) throws(ScaffoldRefusal) {
        var root = root
        while root.count > 1, root.hasSuffix("/") { root.removeLast() }
        var status = stat()
        guard root.hasPrefix("/"), !root.utf8.contains(0), stat(root, &status) == 0, status.st_mode & S_IFMT == S_IFDIR
        else { throw ScaffoldRefusal("'\(root.printable)' is no folder; give the absolute path of one.") }
        self.root = root
    }

    package func kind(of path: RelativePath) throws(FileFault) -> FileKind? {
        try checkFolders(of: path)
        return try unfollowed(path)
    }

    package func read(_ path: RelativePath) throws(FileFault) -> FileContents {
        try checkFolders(of: path)
        let file = open(absolute(path), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw fault("read", path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw fault("read", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileFault("read", path, "it is no regular file") }
        guard status.st_size <= Self.limit else {
            throw FileFault("read", path, "it has more than \(Self.limit >> 20) MiB")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(status.st_size))
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw fault("read", path) }
            if count == 0 { break }
            bytes += part[..<count]
        }
        return FileContents(
            bytes: bytes, isExecutable: status.st_mode & S_IXUSR != 0, isSecret: status.st_mode & 0o077 == 0)
    }

    package func names(in folder: RelativePath) throws(FileFault) -> [String] {
        try checkFolders(of: folder)
        guard try unfollowed(folder) == .folder, let listing = opendir(absolute(folder)) else {
            throw fault("listed", folder)
        }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let length = Int(entry.pointee.d_reclen)
            let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
                start.withMemoryRebound(to: CChar.self, capacity: length) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    package func create(_ path: RelativePath, _ contents: FileContents) throws(FileFault) {
        try checkFolders(of: path)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let mode: mode_t = (contents.isExecutable ? 0o777 : 0o666) & (contents.isSecret ? 0o700 : 0o777)
        let file = open(absolute(path), flags, mode)
        guard file >= 0 else { throw fault("created", path) }
        var rest = contents.bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let fault = fault("written", path)
                close(file)
                throw fault
            }
            rest = rest.dropFirst(count)
        }
        guard close(file) == 0 else { throw fault("written", path) }
    }

    package func move(_ path: RelativePath, to other: RelativePath) throws(FileFault) {
        try checkFolders(of: path)
        try checkFolders(of: other)
        guard rename(absolute(path), absolute(other)) == 0 else { throw fault("written", other) }
    }

    package func remove(_ path: RelativePath) throws(FileFault) {
        try checkFolders(of: path)
        guard unlink(absolute(path)) == 0 else { throw fault("removed", path) }
    }

    package func createFolder(_ path: RelativePath) throws(FileFault) {
        try checkFolders(of: path)
        guard mkdir(absolute(path), 0o777) == 0 else { throw fault("created", path) }
    }

    package func removeFolder(_ path: RelativePath) throws(FileFault) {
        try checkFolders(of: path)
        guard rmdir(absolute(path)) == 0 else { throw fault("removed", path) }
    }

    package func link(_ path: RelativePath, to target: String) throws(FileFault) {
        try checkFolders(of: path)
        guard symlink(target, absolute(path)) == 0 else { throw fault("created", path) }
    }

    package func flush() throws(FileFault) {
        // One call for all files and names, which Linux returns from when it is done (sync(2)): a call for each takes
        // milliseconds, and a service has hundreds.
        sync()
    }

    // MARK: - Details

    /// The largest file that is read.
    private static let limit = 64 << 20

    private func absolute(_ path: RelativePath) -> String {
        path.components.isEmpty ? root : root == "/" ? "/\(path)" : "\(root)/\(path)"
    }

    /// No folder on the way may be a link: it could lead out of the root.
    private func checkFolders(of path: RelativePath) throws(FileFault) {
        for folder in path.folders where try unfollowed(folder) == .link {
            throw FileFault("used", path, "'\(folder)' is a symbolic link")
        }
    }

    private func unfollowed(_ path: RelativePath) throws(FileFault) -> FileKind? {
        var status = stat()
        guard lstat(absolute(path), &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw fault("looked at", path)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        default: return .other
        }
    }

    private func fault(_ doing: String, _ path: RelativePath) -> FileFault {
        FileFault(doing, path, String(cString: strerror(errno)).lowercased())
    }
}
