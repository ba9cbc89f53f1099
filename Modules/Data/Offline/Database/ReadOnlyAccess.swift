import GRDB
import StrataDomain
import StrataSystem

/// How to read a database that cannot be written: the disk is full, or the file system is read-only.
///
/// A reader of a database with a write-ahead log needs its index, which lies in the file `-shm`. Making or growing that
/// file fails first on a full disk.
enum ReadOnlyAccess: Sendable, Hashable {
    /// Both files exist: SQLite reads the log into an index in memory and takes the usual locks, so that other
    /// processes may write at the same time (sqlite.org/walformat.html, section 2.3.2).
    case sharedIndex
    /// There is a log and no `-shm`, and none can be made: no other process writes, since it would need one. The log is
    /// read into an index in memory, without locks.
    case privateIndex
    /// There is no log, and none can be made: the file holds everything.
    case immutable

    /// - Parameters:
    ///   - hasIndex: Whether `-shm` is there.
    ///   - logBytes: Of `-wal`; `nil` when it is missing.
    init(hasIndex: Bool, logBytes: Int?) {
        self =
            if hasIndex, logBytes != nil {
                .sharedIndex
            } else if logBytes ?? 0 > 0 {
                .privateIndex
            } else {
                .immutable
            }
    }

    /// Looks at the files beside `path`, and makes empty ones where it can: that needs no space.
    init(at path: String) {
        for suffix in ["-wal", "-shm"] {
            try? openFile(path + suffix, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW).release()
        }
        self.init(hasIndex: Stat.size(at: path + "-shm") != nil, logBytes: Stat.size(at: path + "-wal"))
    }

    /// A queue that reads and never writes.
    func queue(at path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "strata.offline.read"
        configuration.readonly = true
        configuration.busyMode = .timeout(OfflineDatabase.busyTimeout / .seconds(1))
        if self == .privateIndex {
            // Before the first read: then the index is kept in memory (sqlite.org/wal.html#noshm).
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        }
        return try DatabaseQueue(path: "file:\(Self.escaped(path))?mode=ro&\(parameter)", configuration: configuration)
    }

    /// sqlite.org/c3ref/open.html#urifilenamesinsqlite3open
    private var parameter: String {
        switch self {
        case .sharedIndex: "readonly_shm=1"
        case .privateIndex: "vfs=unix-none"
        case .immutable: "immutable=1"
        }
    }

    private static func escaped(_ path: String) -> String {
        var escaped = ""
        for scalar in path.unicodeScalars {
            switch scalar {
            case "%": escaped += "%25"
            case "?": escaped += "%3f"
            case "#": escaped += "%23"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// A database that can only be read.
struct ReadOnlyGate: DatabaseGate {
    let queue: DatabaseQueue
    /// The error of every write.
    let obstacle: DomainError

    func read<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await queue.read(work)
    }

    func write<Value: Sendable>(
        _ kind: WriteKind, _ work: @Sendable (Database) throws -> Value
    ) async throws -> Value { throw obstacle }

    func endSnapshot() {}

    func lease(within limit: Duration, on clock: any Clock<Duration>) async throws -> (any AnyObject & Sendable)? {
        throw obstacle
    }
}
