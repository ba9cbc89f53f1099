import AccountsAPI
package import AccountsDomain
package import StrataDomain
import StrataSystem

/// Users at the server; each read is a request.
package struct RemoteUserRepository: UserRepository {
    private static let missing = "'\(ProgramName.current) users list' shows those there are."
    private let client: AccountRequests

    package init(client: any APIClient) { self.client = AccountRequests(client: client) }

    package func users(page: Int, limit: Int) async throws(DomainError) -> UserPage {
        try await client.send(ListUsers(page: page, limit: limit))
    }

    package func user(_ id: User.ID) async throws(DomainError) -> User {
        try await client.send(GetUser(id: id), missing: Self.missing)
    }

    package func create(_ draft: UserDraft) async throws(DomainError) -> User {
        try await client.send(CreateUser(draft: draft))
    }

    package func update(_ id: User.ID, to draft: UserDraft) async throws(DomainError) -> User {
        try await client.send(UpdateUser(id: id, draft: draft), missing: Self.missing)
    }

    package func delete(_ id: User.ID) async throws(DomainError) {
        _ = try await client.send(DeleteUser(id: id), missing: Self.missing)
    }
}
