import AccountsAPI
package import AccountsDomain
package import StrataDomain

/// Users at the server; each read is a request.
package struct RemoteUserRepository: AccountRepository, UserRepository {
    package let client: any APIClient

    package init(client: any APIClient) { self.client = client }

    /// By name, read in pages.
    package func list(upTo limit: Int) async throws(DomainError) -> (items: [User], total: Int?) {
        var all: [User] = []
        var page = 1
        while true {
            let next = try await send(ListUsers(page: page, limit: min(limit, 200)))
            all += next.users
            // An empty page is the end, too: users may be deleted between two pages.
            if next.users.isEmpty || all.count >= min(next.total, limit) { return (all, max(next.total, all.count)) }
            page += 1
        }
    }

    package func get(_ id: User.ID) async throws(DomainError) -> User { try await send(GetUser(id: id), about: id) }

    package func create(_ draft: UserDraft) async throws(DomainError) -> User {
        try await send(CreateUser(draft: draft))
    }

    package func update(_ id: User.ID, to draft: UserDraft) async throws(DomainError) -> User {
        try await send(UpdateUser(id: id, draft: draft), about: id)
    }
}
