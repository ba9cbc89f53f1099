/// Why the engine may be worth running before its wait is over.
public enum SyncWake: String, Sendable, Hashable, CaseIterable {
    /// Something was written here.
    case localWrite
    /// The server has something newer.
    case remoteChange
    /// A server can be expected to be reached again.
    case online
    /// A server cannot be expected to be reached. Wakes nobody; it makes local writes wait.
    case offline
    /// Somebody logged in.
    case signedIn
}
