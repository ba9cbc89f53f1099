import AccountsAPI
import AccountsDomain
import StrataDomain
import StrataService

extension AccountsService {
    /// The prefix of keys, which secret scanners recognise.
    static var hostKeyPrefix: String { "slh_" }
    /// Most host tokens at once.
    static var hostTokenLimit: Int { 1000 }

    func mountHostTokens(on routes: inout APIRoutes) {
        routes.write(CreateHostToken.self, for: .admins) { endpoint, scope, transaction in
            let draft = try accepting(endpoint.draft.validated)
            guard try HostTokenTable.count(in: transaction) < Self.hostTokenLimit else {
                throw ServiceError.conflict(
                    code: "too_many_host_tokens",
                    "There are \(Self.hostTokenLimit) host tokens already; revoke one that is not used any more.")
            }
            let key = OpaqueToken.make(prefix: Self.hostKeyPrefix)
            guard let hash = OpaqueToken.digest(key.reveal()) else { throw StoreError.failed("a new key is too long") }
            let token = HostToken(
                id: HostToken.ID(UUIDv7.string(at: scope.now)), name: draft.name, createdAt: scope.now, lastUsedAt: nil)
            try HostTokenTable.insert(token, keyHash: hash, in: transaction)
            return NewHostToken(token, key: key)
        }
        routes.read(ListHostTokens.self, for: .admins) { _, _, reader in
            ListPayload(items: try HostTokenTable.list(in: reader))
        }
        routes.write(DeleteHostToken.self, for: .admins) { endpoint, _, transaction in
            guard try HostTokenTable.delete(endpoint.id, in: transaction) else {
                throw ServiceError.notFound("host token", endpoint.id.rawValue)
            }
            return NoContent()
        }
    }
}
