import AccountsAPI
import AccountsData
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataSystem
import StrataTesting
import Testing

@Suite struct RemoteAccountRepositoriesTests {
    private let client = MockAPIClient()
    private let now = ManualWallClock().now
    private var users: RemoteUserRepository { RemoteUserRepository(client: client) }
    private var hostTokens: RemoteHostTokenRepository { RemoteHostTokenRepository(client: client) }
    private var ada: User {
        User(id: User.ID("u1"), username: "ada", role: .member, createdAt: now, updatedAt: now)
    }
    private let draft = UserDraft(username: "ada", role: .member, password: Secret("a good password"))

    @Test func `users come as domain values`() async throws {
        let ada = ada
        client.on(ListUsers.self) { _, _ in
            UserPage(users: [ada], total: 41, page: 2, limit: 20)
        }
        #expect(try await users.users(page: 2, limit: 20) == UserPage(users: [ada], total: 41, page: 2, limit: 20))
        let sent = try #require(client.calls(to: ListUsers.self).first)
        #expect(sent.page == 2 && sent.limit == 20)
        client.on(GetUser.self) { _, _ in ada }
        client.on(CreateUser.self) { _, _ in ada }
        client.on(UpdateUser.self) { _, _ in ada }
        client.on(DeleteUser.self) { _, _ in NoContent() }
        #expect(try await users.user(ada.id) == ada)
        #expect(try await users.create(draft) == ada)
        #expect(try await users.update(ada.id, to: draft) == ada)
        try await users.delete(ada.id)
        #expect(client.calls(to: CreateUser.self).first?.draft.password == Secret("a good password"))
        #expect(client.calls(to: DeleteUser.self).map(\.id) == [ada.id])
    }

    @Test func `failures speak the domain's language and name the next step`() async {
        func problem(_ detail: String) -> Problem { Problem(title: "t", status: 400, detail: detail) }
        let cases: [(NetworkError.Kind, DomainError)] = [
            (.unauthorized(nil), .unauthorized("Not logged in; run '\(ProgramName.current) login'.")),
            (.forbidden(problem("Only administrators may do this.")), .forbidden("Only administrators may do this.")),
            (
                .notFound(problem("There is no user 'u1'.")),
                .notFound("There is no user 'u1'. '\(ProgramName.current) users list' shows those there are.")
            ),
            (.conflict(problem("'ada' is the last administrator.")), .conflict("'ada' is the last administrator.")),
            (
                .rateLimited(retryAfter: .milliseconds(500)),
                .busy("The server asks to wait 1 second; then try again.", retryAfter: .milliseconds(500))
            ),
            (.cancelled, .cancelled),
        ]
        for (kind, expected) in cases {
            client.fail(DeleteUser.self, kind)
            await #expect(throws: expected) { try await users.delete(User.ID("u1")) }
        }
        let fields = [FieldError(field: "username", message: "is taken")]
        client.fail(CreateUser.self, .validation(Problem(title: "t", status: 422, detail: "Rejected.", errors: fields)))
        await #expect(throws: DomainError.validation("Rejected.", fields: fields)) { try await users.create(draft) }
    }

    @Test func `a host token comes with its key once`() async throws {
        let token = HostToken(id: HostToken.ID("h1"), name: "web-1", createdAt: now, lastUsedAt: nil)
        client.on(CreateHostToken.self) { _, _ in NewHostToken(token, key: Secret("slh_key")) }
        client.on(ListHostTokens.self) { _, _ in ListPayload(items: [token]) }
        client.on(DeleteHostToken.self) { _, _ in NoContent() }
        let created = try await hostTokens.create(HostTokenDraft(name: "web-1"))
        #expect(created.token == token && created.key == Secret("slh_key"))
        #expect(try await hostTokens.hostTokens() == [token])
        try await hostTokens.revoke(token.id)
        #expect(client.calls(to: DeleteHostToken.self).map(\.id) == [token.id])
    }

    @Test func `a created token without a key says what to do about it`() async {
        let token = HostToken(id: HostToken.ID("h1"), name: "web-1", createdAt: now, lastUsedAt: nil)
        client.on(CreateHostToken.self) { _, _ in NewHostToken(token, key: nil) }
        let error = await #expect(throws: DomainError.self) {
            try await hostTokens.create(HostTokenDraft(name: "web-1"))
        }
        #expect(error?.description.contains("host-tokens revoke h1") == true)
    }
}
