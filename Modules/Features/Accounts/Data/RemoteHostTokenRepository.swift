import AccountsAPI
package import AccountsDomain
package import StrataDomain
import StrataSystem

/// Keys of machines at the server.
package struct RemoteHostTokenRepository: AccountRepository, HostTokenRepository {
    package let client: any APIClient

    package init(client: any APIClient) { self.client = client }

    package func create(_ draft: HostTokenDraft) async throws(DomainError) -> NewHostToken {
        let created = try await send(CreateHostToken(draft: draft))
        guard created.key != nil else {
            throw .unexpected(
                "The server created host token '\(created.token.id)' without telling its key; "
                    + "revoke it with '\(ProgramName.current) host-tokens revoke \(created.token.id)' and report this.")
        }
        return created
    }
}
