import AccountsAPI
package import AccountsDomain
package import StrataDomain
import StrataSystem

/// Keys of machines at the server.
package struct RemoteHostTokenRepository: HostTokenRepository {
    private let client: AccountRequests

    package init(client: any APIClient) { self.client = AccountRequests(client: client) }

    package func hostTokens() async throws(DomainError) -> [HostToken] {
        try await client.send(ListHostTokens()).items
    }

    package func create(_ draft: HostTokenDraft) async throws(DomainError) -> NewHostToken {
        let created = try await client.send(CreateHostToken(draft: draft))
        guard created.key != nil else {
            throw .unexpected(
                "The server created host token '\(created.token.id)' without telling its key; "
                    + "revoke it with '\(ProgramName.current) host-tokens revoke \(created.token.id)' and report this.")
        }
        return created
    }

    package func revoke(_ id: HostToken.ID) async throws(DomainError) {
        _ = try await client.send(
            DeleteHostToken(id: id), missing: "'\(ProgramName.current) host-tokens list' shows those there are.")
    }
}
