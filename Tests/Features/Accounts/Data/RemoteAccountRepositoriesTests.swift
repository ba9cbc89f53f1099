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
    private let draft = UserDraft(username: "ada", role: .member, password: Secret("a good password"))

    @Test func `users are read in pages, no more than are needed`() async throws {
        let all = (1...450).map { User.sample("u\($0)", "user\($0)", role: .member) }
        client.on(ListUsers.self) { call, _ in
            let (page, limit) = (call.page ?? 1, call.limit ?? 50)
            return UserPage(
                users: Array(all.dropFirst((page - 1) * limit).prefix(limit)), total: 450, page: page, limit: limit)
        }
        let (items, total) = try await users.list(upTo: .max)
        #expect(items == all && total == 450)
        #expect(try await users.list(upTo: 50) == (Array(all.prefix(50)), 450))
        let calls = client.calls(to: ListUsers.self)
        #expect(calls.map(\.page) == [1, 2, 3, 1] && calls.map(\.limit) == [200, 200, 200, 50])
    }

    @Test func `a list of users that shrinks while it is read ends`() async throws {
        client.on(ListUsers.self) { call, _ in UserPage(users: [], total: 9, page: call.page ?? 1, limit: 200) }
        #expect(try await users.list(upTo: .max).items.isEmpty)
        #expect(client.calls.count == 1)
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

    @Test func `a created token without a key says what to do about it`() async {
        let token = HostToken(id: HostToken.ID("h1"), name: "web-1", createdAt: now, lastUsedAt: nil)
        client.on(CreateHostToken.self) { _, _ in NewHostToken(token, key: nil) }
        let error = await #expect(throws: DomainError.self) {
            try await hostTokens.create(HostTokenDraft(name: "web-1"))
        }
        #expect(error?.description.contains("host-tokens revoke h1") == true)
    }
}
