import AccountsAPI
package import AccountsDomain
package import StrataDomain
import StrataSystem

/// Keys of machines at the server.
package struct RemoteHostTokenRepository: HostTokenRepository {
    private let client: any APIClient

    package init(client: any APIClient) { self.client = client }

    package func hostTokens() async throws(DomainError) -> [HostToken] {
        do throws(NetworkError) { return try await client.send(ListHostTokens()).items.map(\.hostToken) } catch {
            throw .accounts(error)
        }
    }

    package func create(name: String) async throws(DomainError) -> (token: HostToken, key: Secret) {
        let created: HostTokenPayload
        do throws(NetworkError) {
            created = try await client.send(CreateHostToken(draft: HostTokenDraft(name: name)))
        } catch {
            throw .accounts(error)
        }
        guard let key = created.key else {
            throw .unexpected(
                "The server created host token '\(created.id)' without telling its key; "
                    + "revoke it with '\(ProgramName.current) host-tokens revoke \(created.id)' and report this.")
        }
        return (created.hostToken, Secret(key))
    }

    package func revoke(_ id: HostToken.ID) async throws(DomainError) {
        do throws(NetworkError) { _ = try await client.send(DeleteHostToken(id: id)) } catch {
            throw .accounts(error, missing: "'\(ProgramName.current) host-tokens list' shows those there are.")
        }
    }
}
