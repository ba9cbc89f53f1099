package import AccountsDomain
package import StrataDomain
import StrataService

/// What an operator does with accounts on the machine of the database, without a login.
extension AccountsService {
    /// Creates an account.
    ///
    /// - Throws: `ServiceError` 422 naming each invalid field, 409 for a taken name.
    @discardableResult
    package func createUser(
        username: String, role: Role, password: Secret, email: String? = nil
    ) async throws -> User {
        try await create(UserDraft(username: username, role: role, password: password, email: email), at: clock.now)
    }

    /// All accounts by name, each with the number of its active sessions.
    package func users() async throws -> [(user: User, sessions: Int)] {
        let now = clock.now
        return try await store.read { reader in
            try UserTable.all(in: reader).map { user in
                (user, try Sessions.list(userId: user.id.rawValue, at: now, in: reader).count)
            }
        }
    }

    /// Sets a password and ends every session of the account.
    ///
    /// - Throws: `ServiceError` 404 for an unknown name, 422 for an invalid password.
    package func setPassword(of username: String, to password: Secret) async throws {
        let user = try await existing(username)
        try acceptNew(password: password)
        let hash = try await hasher.hash(password, for: "")
        let now = clock.now
        try await store.write { transaction in
            try setPassword(of: user.id, hash: hash, at: now, in: transaction)
        }
    }

    /// Ends every session of an account; its access tokens are refused from then on.
    ///
    /// - Returns: How many ended.
    /// - Throws: `ServiceError` 404 for an unknown name.
    package func endSessions(of username: String) async throws -> Int {
        let id = try await existing(username).id.rawValue
        let now = clock.now
        return try await store.write { transaction in
            try Sessions.endAll(of: id, because: .revoked, at: now, in: transaction)
        }
    }

    /// Deletes an account and ends its sessions.
    ///
    /// - Throws: `ServiceError` 404 for an unknown name, 409 for the last administrator.
    package func deleteUser(_ username: String) async throws {
        let id = try await existing(username).id
        let now = clock.now
        try await store.write { transaction in try delete(id, at: now, transaction) }
    }

    /// - Throws: `ServiceError` 404 for an unknown name.
    func existing(_ username: String) async throws -> User {
        let found = try await store.read { reader in try UserTable.credentials(of: username, in: reader) }
        guard let found else { throw ServiceError.notFound("user", username) }
        return found.user
    }
}
