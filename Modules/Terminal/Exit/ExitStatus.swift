public import StrataDomain

/// The exit status of the process (sysexits.h where it has a value).
public enum ExitStatus: Int32, Sendable, Hashable, CaseIterable {
    /// All is well.
    case done = 0
    /// The command line is wrong.
    case usage = 64
    /// Rejected input, or a conflict.
    case rejected = 65
    /// Not found, here or on the server; also a file that cannot be read.
    case notFound = 66
    /// The server is unreachable and nothing is stored.
    case unavailable = 69
    /// A bug.
    case software = 70
    /// A file cannot be written.
    case cannotWrite = 73
    /// Timed out or overloaded: try later.
    case tryLater = 75
    /// Not logged in, or not allowed.
    case noPermission = 77
    /// The user interrupted it.
    case interrupted = 130

    /// The status for an error; every kind has one.
    public init(_ error: DomainError) {
        self =
            switch error.kind {
            case .unauthorized, .forbidden: .noPermission
            case .notFound: .notFound
            case .validation, .conflict: .rejected
            case .unavailable: .unavailable
            case .busy: .tryLater
            case .storage: .cannotWrite
            case .cancelled: .interrupted
            case .unexpected: .software
            }
    }
}

/// Ends a command with a status that no domain error has, or after its reason was printed.
public struct CommandFailure: Error, Sendable, Hashable {
    /// The status with which the program ends.
    public var status: ExitStatus
    /// The message; `nil` if it was printed already.
    public var message: String?

    /// Ends the program with this status and message; without a message it is silent.
    public init(_ status: ExitStatus, _ message: String? = nil) {
        self.status = status
        self.message = message
    }
}
