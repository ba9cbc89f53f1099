import AccountsAPI
import AccountsDomain
import StrataDomain
import StrataService

// Responses with tokens or keys are never stored.
extension TokenPayload: NoStore {}
extension NewHostToken: NoStore {}
extension DeviceAuthorization: NoStore {}

// Generic OAuth clients read the errors of these.
extension RefreshSession: OAuthEndpoint {}
extension RevokeToken: OAuthEndpoint {}
extension AuthorizeDevice: OAuthEndpoint {}

extension AccountsService {
    func mountSessions(on routes: inout APIRoutes) {
        routes.handle(CreateSession.self, for: .anyone) { endpoint, scope in
            try await signIn(endpoint.credentials, scope)
        }
        routes.read(ListSessions.self, for: .users) { _, scope, reader in
            let caller = try scope.user()
            let records = try Sessions.list(userId: caller.id, at: scope.now, in: reader)
            return ListPayload(
                items: records.map { record in
                    Session(
                        id: Session.ID(record.id), device: record.device, createdAt: record.createdAt,
                        lastUsedAt: record.lastUsedAt, isCurrent: record.id == caller.sessionId)
                })
        }
        routes.write(EndSession.self, for: .users) { endpoint, scope, transaction in
            try end(endpoint.target, scope, transaction)
            return NoContent()
        }
        routes.read(GetMe.self, for: .users) { _, scope, reader in
            try UserTable.existing(User.ID(try scope.user().id), in: reader)
        }
    }

    func mountOAuth(on routes: inout APIRoutes) {
        routes.handle(RefreshSession.self, for: .anyone) { endpoint, scope in try await exchange(endpoint.grant, scope)
        }
        routes.handle(RevokeToken.self, for: .anyone) { endpoint, scope in
            try await revoke(endpoint.revocation, scope)
        }
        routes.handle(GetKeySet.self, for: .anyone) { _, _ in
            KeySetPayload(keys: publicKeys.map { KeyPayload(id: $0.id, x: $0.x, y: $0.y) })
        }
        routes.handle(GetServerMetadata.self, for: .anyone) { _, _ in
            ServerMetadataPayload(issuer: accessTokens.issuer)
        }
    }

    /// - Parameter target: `current`, `all`, or the id of one of the caller's sessions.
    private func end(_ target: String, _ scope: RequestScope, _ transaction: any StoreTransaction) throws {
        let caller = try scope.user()
        switch target {
        case "all":
            try Sessions.endAll(of: caller.id, because: .logout, at: scope.now, in: transaction)
        case "current":
            try Sessions.end(caller.sessionId, because: .logout, at: scope.now, in: transaction)
        default:
            let ended = try Sessions.end(target, of: caller.id, because: .revoked, at: scope.now, in: transaction)
            guard ended else { throw ServiceError.notFound("session", target) }
        }
    }
}
