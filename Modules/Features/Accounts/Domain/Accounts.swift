package import StrataDomain

/// The use cases of accounts: the operations of the repositories, and those that have rules of their own.
package struct Accounts: Sendable {
    package let sessions: any SessionRepository
    package let users: any UserRepository
    package let hostTokens: any HostTokenRepository

    package init(
        sessions: any SessionRepository, users: any UserRepository, hostTokens: any HostTokenRepository
    ) {
        self.sessions = sessions
        self.users = users
        self.hostTokens = hostTokens
    }

    /// Starts a session and stores its tokens.
    ///
    /// - Parameter device: The name of the session in lists; cut to 100 bytes.
    /// - Returns: Where the tokens are stored, for people.
    /// - Throws: `.validation` for an empty name or password, before the request is sent; `.unauthorized` for a wrong one.
    package func logIn(username: String, password: Secret, device: String) async throws(DomainError) -> String {
        var check = FieldCheck()
        check.text("username", username, bytes: 1...64)
        // Only the length: the rule of passwords is checked when one is set.
        if !(1...1024).contains(password.reveal().utf8.count) { check.refuse("password", "must have 1 to 1024 bytes") }
        try check.orThrow("The login was not sent.")
        return try await sessions.login(username: username, password: password, device: Self.short(device))
    }

    /// Starts a session that a user allows in a browser; see `SessionRepository`.
    ///
    /// - Parameter device: Cut to 100 bytes.
    package func logIn(
        device: String, within limit: Duration? = nil, show: @Sendable (DeviceCode) -> Void
    ) async throws(DomainError) -> (username: String, place: String) {
        try await sessions.login(device: Self.short(device), within: limit, show: show)
    }

    private static func short(_ device: String) -> String {
        var device = device
        while device.utf8.count > 100 { device.removeLast() }
        return device
    }

    /// Changes the password of the user who is logged in, and ends every other session of theirs.
    ///
    /// - Throws: `.validation` for a new password that breaks the rules, before the request is sent, and for a wrong current one.
    package func changePassword(from current: Secret, to new: Secret) async throws(DomainError) {
        var check = FieldCheck()
        UserDraft.check(new, as: "new_password", in: &check)
        try check.orThrow("The password was not changed.")
        try await sessions.changePassword(from: current, to: new)
    }

    /// - Throws: `.validation` naming each field, before the request is sent; `.conflict` for a name that is taken.
    package func createUser(_ draft: UserDraft) async throws(DomainError) -> User {
        guard draft.password != nil else {
            throw .validation(
                "The account was not accepted.", fields: [FieldError(field: "password", message: "is missing")])
        }
        return try await users.create(draft.validated())
    }

    /// The account after the update; `nil` leaves a field unchanged, and an empty address removes it.
    ///
    /// - Throws: `.validation` naming each field, or when nothing is changed; `.notFound`; `.conflict` for a taken name.
    package func updateUser(
        _ id: User.ID, username: String? = nil, role: Role? = nil, password: Secret? = nil, email: String? = nil
    ) async throws(DomainError) -> User {
        guard username != nil || role != nil || password != nil || email != nil else {
            throw .validation("The edit changes nothing; give a name, a role, a password or an address.")
        }
        let user = try await users.get(id)
        let draft = UserDraft(
            username: username ?? user.username, role: role ?? user.role, password: password, email: email)
        return try await users.update(id, to: draft.validated())
    }

    /// The token with its key, which is never shown again.
    ///
    /// - Throws: `.validation` naming the field, before the request is sent.
    package func createHostToken(name: String) async throws(DomainError) -> NewHostToken {
        try await hostTokens.create(HostTokenDraft(name: name).validated())
    }
}
