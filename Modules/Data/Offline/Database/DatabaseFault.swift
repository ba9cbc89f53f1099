import GRDB
import StrataDomain
import StrataSystem

/// A failure of SQLite by its meaning for a user. Database errors become domain errors here and nowhere else.
enum DatabaseFault: Sendable, Hashable {
    case damaged(String)
    case full
    case notWritable(String)
    case busy
    case interrupted
    case failing(String)
    /// Our own mistake: a statement, a constraint, a type.
    case misuse(String)

    init(_ error: DatabaseError) {
        let text = error.message ?? "\(error.resultCode)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(text)
        case .SQLITE_FULL: self = .full
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH: self = .notWritable(text)
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: self = .busy
        case .SQLITE_INTERRUPT, .SQLITE_ABORT: self = .interrupted
        case .SQLITE_IOERR, .SQLITE_NOMEM: self = .failing(text)
        default: self = .misuse(text)
        }
    }

    init(_ error: Errno) { self = error.isDiskFull ? .full : .notWritable("\(error)") }

    /// - Parameters:
    ///   - path: The database file, named in the text.
    ///   - obstacle: The cause by the file system, where SQLite knows only the failed call.
    func domainError(at path: String, obstacle: WriteObstacle?) -> DomainError {
        switch self {
        case .notWritable, .failing:
            switch obstacle {
            case .full: return DatabaseFault.full.domainError(at: path, obstacle: nil)
            case .readOnlyFileSystem:
                return .storage(
                    "The file system of '\(path)' is mounted read-only; mount it for writing, then try again; "
                        + "nothing was lost.")
            case .permission, nil: break
            }
        default: break
        }
        return switch self {
        case .damaged(let text):
            .storage("The database '\(path)' is damaged (\(text)).")
        case .full:
            .storage(
                "No space left on the disk of '\(path)'; free space and try again; nothing was lost.")
        case .notWritable(let text):
            .storage(
                "The database '\(path)' cannot be opened for writing (\(text)); "
                    + "check that its directory exists and belongs to you, then try again.")
        case .busy:
            .busy(
                "Another process is using '\(path)' for a long time; wait until it is done and try again.")
        case .interrupted: .cancelled
        case .failing(let text):
            .storage("The disk failed under '\(path)' (\(text)); nothing was changed. Check the disk, then try again.")
        case .misuse(let text):
            .unexpected("The database '\(path)' refused a statement of this program: \(text)")
        }
    }

    /// The same with the obstacle that the file system reports now.
    func domainError(at path: String) -> DomainError {
        domainError(at: path, obstacle: WriteObstacle.found(at: path))
    }

    /// Whether reading may well work where writing does not.
    var leavesReading: Bool {
        switch self {
        case .full, .notWritable, .failing: true
        case .damaged, .busy, .interrupted, .misuse: false
        }
    }
}

extension DomainError {
    /// A failure inside a database access; domain errors thrown in there pass as they are.
    init(database error: any Error, at path: String) {
        switch error {
        case let error as DatabaseError: self = DatabaseFault(error).domainError(at: path)
        case let error as DamagedEntry: self = .storage(error.description)
        case let error as RowDecodingError:
            self = .unexpected("A row of the database '\(path)' has an unexpected shape: \(error)")
        default: self.init(error)
        }
    }

    /// A failed system call on a file.
    init(file error: Errno, at path: String) {
        self = DatabaseFault(error).domainError(at: path)
    }
}
