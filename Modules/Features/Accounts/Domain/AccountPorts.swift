package import StrataDomain

/// Logging in and out, and the sessions of the user who is logged in.
package protocol SessionRepository: ResourceRepository<Session> {
    /// Stores the tokens of a new session, and ends the one they replace. Until the new ones are stored nothing changes.
    ///
    /// - Parameter device: The name of the session in lists.
    /// - Returns: Where the tokens are stored, for people.
    /// - Throws: `.unauthorized` for a wrong name or password.
    func login(username: String, password: Secret, device: String) async throws(DomainError) -> String

    /// Starts a session that a user allows in a browser (RFC 8628), and stores its tokens as `login(username:…)` does.
    ///
    /// - Parameters:
    ///   - device: The name of the session in lists, and on the page.
    ///   - limit: For requests and waits together; `nil` until the code expires.
    ///   - show: Gets the code and the page once, before the wait.
    /// - Returns: The user that allowed it, and where the tokens are stored.
    /// - Throws: `.forbidden` when the user refuses, or the server has no login with a password; `.unavailable` when the
    ///   code expires; `.busy` at the limit.
    func login(
        device: String, within limit: Duration?, show: @Sendable (DeviceCode) -> Void
    ) async throws(DomainError) -> (username: String, place: String)

    /// Deletes the tokens here, and ends the session on the server when it can be reached.
    ///
    /// - Parameter everywhere: Ends every session of this user; this needs the server.
    /// - Returns: Whether the server confirmed the end of the session; the tokens here are gone in either case.
    /// - Throws: `.unavailable` when `everywhere` is asked for and the server cannot be reached.
    func logout(everywhere: Bool) async throws(DomainError) -> Bool

    /// - Throws: `.unauthorized` without a session.
    func me() async throws(DomainError) -> User

    /// Changes the password of the user, and ends every other session of theirs.
    ///
    /// - Throws: `.validation` naming `current_password` when that is wrong; `.busy` after too many wrong ones.
    func changePassword(from current: Secret, to new: Secret) async throws(DomainError)
}

/// What a user needs to log a device in.
package struct DeviceCode: Sendable, Hashable {
    /// What the user types on the page, and compares there.
    package var code: String
    /// The address of the page.
    package var page: String
    /// The same with the code filled in.
    package var link: String

    package init(code: String, page: String, link: String) {
        self.code = code
        self.page = page
        self.link = link
    }
}

/// Accounts, for administrators; `.forbidden` for others.
package protocol UserRepository: ResourceRepository<User> {
    /// - Throws: `.conflict` for a name that is taken.
    func create(_ draft: UserDraft) async throws(DomainError) -> User
    /// - Throws: `.notFound`; `.conflict` for a name that is taken.
    func update(_ id: User.ID, to draft: UserDraft) async throws(DomainError) -> User
}

/// Keys for machines.
package protocol HostTokenRepository: ResourceRepository<HostToken> {
    /// - Returns: The token with its key, which is never shown again.
    func create(_ draft: HostTokenDraft) async throws(DomainError) -> NewHostToken
}
