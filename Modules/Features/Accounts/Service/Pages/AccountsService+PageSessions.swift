import AccountsDomain
import FoundationEssentials
import StrataDomain
package import StrataService

/// Logins of browsers. However a user was recognised, the session is an ordinary one: lists of sessions show it, and all that
/// ends a session ends it.
extension AccountsService {
    /// Starts a session of `user` for the browser of a request, with a new secret, and ends the one that the browser had.
    ///
    /// - Returns: The field `Set-Cookie` of the response.
    func beginPageSession(
        for user: User, _ request: PageRequest, in transaction: any StoreTransaction
    ) throws -> String {
        try pageSessions.begin(
            for: user.id.rawValue, device: "browser", replacing: request.cookies, at: request.scope.now,
            in: transaction)
    }

    /// Who has logged in with the browser of a request; `nil` without an active session.
    package func caller(of request: PageRequest) async throws -> PageCaller? {
        guard !request.cookies.isEmpty else { return nil }
        return try await store.read { reader in
            guard let session = try pageSessions.session(of: request.cookies, at: request.scope.now, in: reader),
                let user = try UserTable.user(User.ID(session.userId), in: reader)
            else { return nil }
            return PageCaller(user: asCaller(user, sessionId: session.id), session: session)
        }
    }

    /// `user` as a caller, with what the role allows.
    func asCaller(_ user: User, sessionId: String) -> Principal.User {
        .init(id: user.id.rawValue, username: user.username, role: roles[user.role.rawValue], sessionId: sessionId)
    }
}
