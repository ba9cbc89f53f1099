public import StrataDomain

/// What the process tells its caller (sysexits.h where it has a word).
public enum ExitStatus: Int32, Sendable, Hashable, CaseIterable {
    case done = 0
    case usage = 64
    /// Rejected input, or a conflict.
    case rejected = 65
    /// Not found, here or on the server; also a file that cannot be read.
    case notFound = 66
    /// Unreachable, and nothing stored to answer with.
    case unavailable = 69
    /// A bug.
    case software = 70
    case cannotWrite = 73
    /// Timed out or overloaded: try later.
    case tryLater = 75
    /// Not logged in, or not allowed.
    case noPermission = 77
    case interrupted = 130

    public init(_ error: DomainError) {
        self =
            switch error {
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

/// Ends a command with a status that no domain error has, or whose reason is already printed.
public struct CommandFailure: Error, Sendable, Hashable {
    public var status: ExitStatus
    /// What to print; `nil` when everything is said.
    public var message: String?

    public init(_ status: ExitStatus, _ message: String? = nil) {
        self.status = status
        self.message = message
    }
}
