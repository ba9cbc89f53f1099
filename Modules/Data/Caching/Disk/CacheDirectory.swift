import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The directory of a cache and the database files in it: 0700 and 0600, for their owner only.
///
/// A damaged database is given up for a file with the next number instead of being removed and made anew under the
/// same name: a process that still has the old file open would, on closing, remove the new file's log.
struct CacheDirectory: Sendable {
    let path: String

    /// Why the directory cannot be used; never a reason to remove anything.
    struct Unusable: Error, CustomStringConvertible {
        let description: String
        static let alwaysDamaged = Unusable(description: "Each new file was damaged too; look at the disk.")
    }

    /// The number of the database in use, made when there is none.
    ///
    /// - Parameters:
    ///   - damaged: A number that must not be used again.
    ///   - isWorthless: Whether the damaged one goes first, so that its room can be used.
    ///   - fill: Makes an empty file at a path a database.
    func number(after damaged: Int = 0, isWorthless: Bool = false, filling fill: (String) throws -> Void) throws -> Int
    {
        try prepare()
        let present = numbers()
        if let last = present.last, last > damaged {
            for old in present.dropLast() { remove(old) }
            return last
        }
        let next = damaged + 1
        if isWorthless { for old in present { remove(old) } }
        try create(next, fill)
        for old in present { remove(old) }
        return next
    }

    /// The number of the one database there is; `nil` where `number` has something to make, remove or refuse.
    var onlyNumber: Int? {
        guard access(path, F_OK) == 0, (try? prepare()) != nil, case let present = numbers(), present.count == 1 else {
            return nil
        }
        return present[0]
    }

    func database(_ number: Int) -> String { "\(path)/\(Self.prefix)\(number)\(Self.suffix)" }

    /// Bytes of a database with its log, as the file system counts their length.
    func bytes(of number: Int) -> Int {
        files(of: number).reduce(0) { sum, file in
            var status = stat()
            return lstat(file, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    /// Length of the log of a database.
    func logBytes(of number: Int) -> Int {
        var status = stat()
        return lstat(database(number) + "-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    /// Which file a path leads to.
    struct Identity: Sendable, Hashable {
        var device: UInt64
        var node: UInt64
    }

    /// - Returns: `nil` when there is none.
    func identity(of number: Int) -> Identity? {
        var status = stat()
        guard lstat(database(number), &status) == 0 else { return nil }
        return Identity(device: UInt64(status.st_dev), node: UInt64(status.st_ino))
    }

    /// Carries the format, so that a later one does not meet files it cannot read.
    private static let prefix = "v2-"
    /// Of files whose rows held URLs in clear; they are removed.
    private static let formerPrefix = "v1-"
    private static let suffix = ".sqlite"
    private static let passingPrefix = ".new-"
    /// What SQLite makes beside a database in WAL mode.
    private static let parts = ["", "-wal", "-shm"]

    private func files(of number: Int) -> [String] { Self.parts.map { database(number) + $0 } }

    private func remove(_ number: Int) {
        for file in files(of: number) { unlink(file) }
    }

    private func numbers() -> [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.compactMap { name in
            guard name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix) else { return nil }
            return Int(name.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)).flatMap {
                0 < $0 && $0 < 1 << 40 ? $0 : nil
            }
        }.sorted()
    }

    private func prepare() throws(Unusable) {
        var status = stat()
        if stat(path, &status) != 0 { try make(path) }
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Unusable(description: "'\(path)' is not a directory.")
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw Unusable(description: "'\(path)' belongs to somebody else, or others may write into it.")
        }
        if status.st_mode & 0o077 != 0 { chmod(path, 0o700) }
    }

    private func make(_ path: String) throws(Unusable) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let code = errno
        guard code == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw Unusable(description: "'\(path)' cannot be made: \(String(cString: strerror(code))).")
        }
        try make(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw Unusable(description: "'\(path)' cannot be made: \(String(cString: strerror(errno))).")
        }
    }

    /// Makes a whole database under a passing name and links it into place, so that nobody meets it half made.
    ///
    /// The file is not opened by hand under its own name: closing it would drop the locks another connection of this
    /// process holds on it (sqlite.org/howtocorrupt.html, section 2.2).
    private func create(_ number: Int, _ fill: (String) throws -> Void) throws {
        removeLeftovers()
        let passing = "\(path)/\(Self.passingPrefix)\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
        let descriptor = open(passing, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Unusable(description: "Nothing can be written into '\(path)': \(String(cString: strerror(errno))).")
        }
        close(descriptor)
        defer { for suffix in Self.parts { unlink(passing + suffix) } }
        try fill(passing)
        guard link(passing, database(number)) == 0 || errno == EEXIST else {
            throw Unusable(description: "'\(database(number))' cannot be made: \(String(cString: strerror(errno))).")
        }
    }

    /// Removes passing files of processes that died while making them, and files of the former format.
    private func removeLeftovers() {
        let now = time(nil)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            if name.hasPrefix(Self.formerPrefix) { unlink("\(path)/\(name)") }
            guard name.hasPrefix(Self.passingPrefix) else { continue }
            var status = stat()
            guard lstat("\(path)/\(name)", &status) == 0, now - status.st_mtim.tv_sec > 600 else { continue }
            unlink("\(path)/\(name)")
        }
    }

    /// - Throws: When the database is a link or somebody else's; loose permissions are tightened.
    func accept(_ number: Int) throws(Unusable) {
        var status = stat()
        guard lstat(database(number), &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
        else {
            throw Unusable(description: "'\(database(number))' is not a regular file of ours.")
        }
        if status.st_mode & 0o077 != 0 { for file in files(of: number) { chmod(file, 0o600) } }
    }
}
