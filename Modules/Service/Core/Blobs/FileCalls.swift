#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that cannot be written or read; never the caller's fault.
public struct BlobError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What became of a content.
    enum Kind: Sendable, Hashable {
        /// It, or a new one, cannot be worked with now.
        case failed
        /// Its file is gone.
        case lost
        /// Its file is another than the one that was stored.
        case damaged
    }

    public let action: String
    public let path: String
    /// `errno`.
    public let code: CInt
    let kind: Kind

    init(_ action: String, _ path: String, _ code: CInt, _ kind: Kind = .failed) {
        self.action = action
        self.path = path
        self.code = code
        self.kind = kind
    }

    /// Whether nothing more can be written for now.
    var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    /// A content that is not as it was written.
    static func damaged(_ path: String) -> BlobError { BlobError("use", path, EIO, .damaged) }

    public var description: String {
        switch kind {
        case .failed: "Cannot \(action) '\(path)': \(String(cString: strerror(code)))."
        case .lost: "The content '\(path)' is not there any more; put it back from a backup."
        case .damaged: "The content '\(path)' is not the one that was stored; put it back from a backup."
        }
    }
}

/// The system's calls, with errors that name what failed. All of them block.
enum FileCalls {
    /// - Throws: `BlobError`.
    static func makeDirectories(_ path: String) throws(BlobError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        var directory = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            directory += "/\(name)"
            guard mkdir(directory, 0o700) == 0 || errno == EEXIST || errno == EISDIR || errno == EROFS else {
                throw BlobError("create the directory", directory, errno)
            }
        }
    }

    /// Writes everything.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) throws(BlobError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            #if canImport(Glibc)
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            #else
                let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
            #endif
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw BlobError("write", "a content", count == 0 ? ENOSPC : errno) }
            written += count
        }
    }

    /// Brings the names in a directory to disk.
    static func synchronize(directory path: String) throws(BlobError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BlobError("open", path, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw BlobError("write", path, errno) }
    }

    /// Regular files last written before a time, in seconds since 1970; none where there is no directory.
    static func names(in path: String, olderThan seconds: Int) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            if Int(status.st_mtim.tv_sec) < seconds { names.append(name) }
        }
        return names
    }
}
