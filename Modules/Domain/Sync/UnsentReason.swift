/// Why a local write has not reached the server yet. The write is stored in every case.
public enum UnsentReason: Sendable, Hashable {
    /// - Parameter owner: The account that the profile's entries belong to; `nil` before the first login.
    case notLoggedIn(owner: String?)
    /// The profile is logged in at another server than the requested one.
    case loggedInAt(String)
    /// The user asked for no requests.
    case offline
    /// At least this many entries are before it; nothing was sent.
    case backlog(Int)
    /// Another process synchronises.
    case anotherRun
    /// The time limit after a write passed first.
    case slow
    /// The server was reached, and did not accept every entry.
    case notTaken
    /// The attempt failed with this error.
    case failed(DomainError)
}
