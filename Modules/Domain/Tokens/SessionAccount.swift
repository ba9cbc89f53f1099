public import FoundationEssentials

/// The user of a session, and the server that issued its tokens.
public struct SessionAccount: Sendable, Hashable {
    /// The origin that issued the tokens; they are sent to no other.
    public var server: String
    /// The id of the person on the server.
    public var userId: String
    /// The name with which the person logs in.
    public var username: String
    /// The time of the login, which distinguishes two logins of one user; `nil` when unknown.
    public var loggedInAt: Date?

    /// The account of a session on `server`.
    public init(server: String, userId: String, username: String, loggedInAt: Date? = nil) {
        self.server = server
        self.userId = userId
        self.username = username
        self.loggedInAt = loggedInAt
    }

    /// Whether both are the same user at the same server, in any login.
    public func isSamePerson(as other: SessionAccount?) -> Bool {
        server == other?.server && userId == other?.userId
    }
}
