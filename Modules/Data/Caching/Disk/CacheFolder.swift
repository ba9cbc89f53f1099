import FoundationEssentials
import StrataDomain
import StrataSystem

/// The directory of one cache and the database file in it: modes 0700 and 0600.
struct CacheFolder: Sendable {
    let path: String

    private static let name = "cache.sqlite"

    /// Why the folder cannot be used. It then stays unchanged.
    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter namespace: Any text; it becomes one component of a path.
    init(in directory: String, namespace: String) {
        let name = PercentEncoding.encode(namespace)
        path = "\(directory)/\(name.isEmpty || name.hasPrefix(".") ? "%" + name : name)"
    }

    var database: String { "\(path)/\(Self.name)" }

    /// Bytes of the database, its log and the index of the log.
    var bytes: Int { ["", "-wal", "-shm"].reduce(0) { $0 + size(of: database + $1) } }

    /// Bytes of the log.
    var logBytes: Int { size(of: database + "-wal") }

    /// Makes sure that folder and database are there and private.
    ///
    /// A new database is filled under another name and then linked into place, so that no process sees half of it.
    ///
    /// - Parameter fill: Makes the file at a path a database and closes it.
    func prepare(filling fill: (String) throws -> Void) throws {
        try PrivateDirectory(path).prepare()
        if status(of: database) == nil { try create(fill) }
        guard let found = status(of: database), found.isRegular, found.isOwnedByUser else {
            throw Unusable(description: "'\(database)' is not a regular file of this user.")
        }
        if found.permissionBits & 0o077 != 0 { try restrict(database) }
    }

    /// Removes the folder with all files. It is renamed first: database and log leave in one step, and a process that has
    /// them open can no longer reach the files that are made next.
    ///
    /// A renamed folder that stays, because its process ended in between, is removed by the next call.
    func discard() throws {
        if status(of: path) != nil {
            try PrivateDirectory(path).prepare()
            do throws(Errno) { try DurableFile("\(path)\(Self.away)\(UUID().uuidString)").place(path) } catch {
                throw Unusable(description: "'\(path)' cannot be renamed: \(error).")
            }
        }
        for folder in renamed { try? files.removeItem(atPath: folder) }
    }

    /// Between the names of the folder and of a renamed one.
    private static let away = ".old-"

    /// The folders that `discard` has renamed.
    private var renamed: [String] {
        let prefix = path.fileName + Self.away
        let names = (try? files.contentsOfDirectory(atPath: path.directoryPath)) ?? []
        return names.filter { $0.hasPrefix(prefix) && UUID(uuidString: String($0.dropFirst(prefix.count))) != nil }
            .map { "\(path.directoryPath)/\($0)" }
    }

    private func create(_ fill: (String) throws -> Void) throws {
        let passing = "\(path)/new-\(UUID().uuidString)"
        defer { for part in ["", "-wal", "-shm"] { try? files.removeItem(atPath: passing + part) } }
        try fill(passing)
        // SQLite gives log and index the mode of the database.
        try restrict(passing)
        do { try files.linkItem(atPath: passing, toPath: database) } catch {
            // Another process may have been faster.
            if status(of: database) == nil { throw error }
        }
    }

    private func restrict(_ file: String) throws {
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    /// Of the item itself, not of the target of a link.
    private func status(of path: String) -> Stat? { try? Stat(path: path, following: false) }

    private func size(of path: String) -> Int { status(of: path).map { Int($0.size) } ?? 0 }

    private var files: FileManager { .default }
}
