/// Why the engine may be worth running before its wait is over.
public enum SyncWake: String, Sendable, Hashable, CaseIterable {
    /// Something was written here.
    case localWrite
    /// The server has something newer.
    case remoteChange
    /// A server can be expected to be reached again.
    case online
    /// The server is probably out of reach. Does not end a wait; it makes local writes wait.
    case offline
    /// A user logged in.
    case signedIn
}
