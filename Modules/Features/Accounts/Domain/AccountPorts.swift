package import StrataDomain

/// Logging in and out, and who is logged in.
package protocol SessionRepository: Sendable {
    /// Keeps the tokens of a new session, and ends the one they replace. Until the new ones are kept nothing changes.
    ///
    /// - Parameter device: What the session is listed as.
    /// - Returns: Where the tokens are kept, for people.
    /// - Throws: `.unauthorized` for a wrong name or password.
    func login(username: String, password: Secret, device: String) async throws(DomainError) -> String

    /// Forgets the tokens here, and ends the session on the server when it can be reached.
    ///
    /// - Parameter everywhere: Ends every session of this user; this needs the server.
    /// - Returns: Whether the server confirmed the end of the session.
    func logout(everywhere: Bool) async throws(DomainError) -> Bool

    func me() async throws(DomainError) -> User
    func sessions() async throws(DomainError) -> [Session]
    func revoke(_ id: Session.ID) async throws(DomainError)
}

/// Accounts, for administrators.
package protocol UserRepository: Sendable {
    /// - Parameters:
    ///   - page: From 1.
    ///   - limit: Users in a page, 1 to 200.
    func users(page: Int, limit: Int) async throws(DomainError) -> UserPage
    func user(_ id: User.ID) async throws(DomainError) -> User
    func create(_ draft: UserDraft) async throws(DomainError) -> User
    func update(_ id: User.ID, to draft: UserDraft) async throws(DomainError) -> User
    func delete(_ id: User.ID) async throws(DomainError)
}

package struct UserPage: Sendable, Hashable {
    package var users: [User]
    /// Number of users on all pages.
    package var total: Int
    package var page: Int

    package init(users: [User], total: Int, page: Int) {
        self.users = users
        self.total = total
        self.page = page
    }
}

/// Keys for machines.
package protocol HostTokenRepository: Sendable {
    func hostTokens() async throws(DomainError) -> [HostToken]
    /// - Returns: The token and its key, which is never shown again.
    func create(name: String) async throws(DomainError) -> (token: HostToken, key: Secret)
    func revoke(_ id: HostToken.ID) async throws(DomainError)
}
