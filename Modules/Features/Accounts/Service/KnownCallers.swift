import StrataConcurrency
import StrataService

/// The users of sessions as their last requests found them. What is here is a guess: each request asks the database whether it holds.
final class KnownCallers: Sendable {
    /// Some megabytes. At the limit all are forgotten, and found again with the next request of each.
    private static let limit = 10_000
    private let users = Mutex<[String: Principal.User]>([:])

    /// The user of a session; `nil` forgets it.
    subscript(session: String) -> Principal.User? {
        get { users.withLock { $0[session] } }
        set {
            users.withLock { users in
                if users.count >= Self.limit, users[session] == nil { users = [:] }
                users[session] = newValue
            }
        }
    }
}
