import AccountsDomain
import FoundationEssentials
import StrataDomain
package import StrataService

extension AccountsService: Authenticator {
    /// The user of an access token, with the current name and role. An ended session, a deleted account and a changed role take
    /// effect at once. Reads two rows by their keys.
    package func principal(bearer token: String) async throws -> Principal {
        let claims = try await accessTokens.verify(token, at: clock.now)
        let caller = try await store.read { reader in
            let id = User.ID(claims.userId)
            return try UserTable.user(id, inSession: claims.sessionId, in: reader).map {
                asCaller($0, sessionId: claims.sessionId)
            }
        }
        if store.hasConcurrentWriters { callers[claims.sessionId] = caller }
        guard let caller else { throw ServiceError.invalidToken("Its session has ended; log in again.") }
        return .user(caller)
    }

    /// The user whom the session of a token had at its last request. On SQLite a read is as near as what was kept, so nothing is.
    package func expected(bearer token: String) async throws -> ExpectedPrincipal? {
        guard store.hasConcurrentWriters else { return nil }
        let claims = try await accessTokens.verify(token, at: clock.now)
        guard let caller = callers[claims.sessionId], caller.id == claims.userId else { return nil }
        let condition = UserTable.condition(User.ID(claims.userId), inSession: claims.sessionId) { user in
            guard user.map({ asCaller($0, sessionId: claims.sessionId) }) == caller else {
                throw ServiceError.invalidToken("Its session has ended, or its user has another role or name.")
            }
        }
        return ExpectedPrincipal(.user(caller), if: condition)
    }

    /// The host with `apiKey`. Its last use is stored by the minute, to avoid a write for every request.
    package func principal(apiKey: String) async throws -> Principal {
        guard apiKey.hasPrefix(Self.hostKeyPrefix), let hash = OpaqueToken.digest(apiKey) else {
            throw Self.unknownKey
        }
        let token = try await store.read { reader in try HostTokenTable.token(keyHash: hash, in: reader) }
        guard let token else { throw Self.unknownKey }
        let now = clock.now
        // In either direction: the clock may have been set back.
        if token.lastUsedAt.map({ abs(now.timeIntervalSince($0)) >= 60 }) ?? true {
            // The stamp is informative. If it cannot be written, the request continues.
            try? await store.write { transaction in try HostTokenTable.touch(token.id, at: now, in: transaction) }
        }
        return .host(tokenId: token.id.rawValue, name: token.name)
    }

    private static var unknownKey: ServiceError {
        .unauthorized(
            code: "invalid_api_key", "The key in X-API-Key is not known or was revoked; ask an administrator for one.")
    }
}
