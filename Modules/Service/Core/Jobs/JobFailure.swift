import StrataSystem

/// A failure that says what follows. Any other error that a handler throws is tried again after the wait of the policy.
///
/// The reason is stored with the job and shown to operators, so it must not contain a secret.
public enum JobFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another attempt cannot succeed: the job is set aside at once.
    case permanent(String)
    /// The next attempt begins after `after` at the earliest, at most after 24 hours. It counts as a failed attempt.
    case retry(after: Duration, String)

    static func overdue(_ limit: Duration) -> JobFailure {
        .retry(after: .zero, "It took longer than \(Int(limit.inSeconds)) s.")
    }

    public var description: String {
        switch self {
        case .permanent(let reason), .retry(_, let reason): reason
        }
    }
}
