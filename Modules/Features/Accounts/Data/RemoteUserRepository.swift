import AccountsAPI
package import AccountsDomain
package import StrataDomain
import StrataSystem

/// Users at the server.
package struct RemoteUserRepository: UserRepository {
    private static let missing = "'\(ProgramName.current) users list' shows those there are."
    private let client: any APIClient

    package init(client: any APIClient) { self.client = client }

    package func users(page: Int, limit: Int) async throws(DomainError) -> UserPage {
        do throws(NetworkError) {
            let found = try await client.send(ListUsers(page: page, limit: limit))
            return UserPage(users: found.users.map(\.user), total: found.total, page: found.page)
        } catch {
            throw .accounts(error)
        }
    }

    package func user(_ id: User.ID) async throws(DomainError) -> User {
        do throws(NetworkError) { return try await client.send(GetUser(id: id)).user } catch {
            throw .accounts(error, missing: Self.missing)
        }
    }

    package func create(_ draft: UserDraft) async throws(DomainError) -> User {
        let payload = UserDraftPayload(try draft.validated())
        do throws(NetworkError) { return try await client.send(CreateUser(draft: payload)).user } catch {
            throw .accounts(error)
        }
    }

    package func update(_ id: User.ID, to draft: UserDraft) async throws(DomainError) -> User {
        let payload = UserDraftPayload(try draft.validated())
        do throws(NetworkError) { return try await client.send(UpdateUser(id: id, draft: payload)).user } catch {
            throw .accounts(error, missing: Self.missing)
        }
    }

    package func delete(_ id: User.ID) async throws(DomainError) {
        do throws(NetworkError) { _ = try await client.send(DeleteUser(id: id)) } catch {
            throw .accounts(error, missing: Self.missing)
        }
    }
}
