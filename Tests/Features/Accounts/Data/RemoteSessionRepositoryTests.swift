import AccountsAPI
import AccountsData
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataSystem
import StrataTesting
import StrataTokens
import Testing

@Suite struct RemoteSessionRepositoryTests {
    private let client = MockAPIClient()
    private let open = MockAPIClient()
    private let store = MemoryTokenStore()
    private let clock = ManualWallClock()
    private let log = LogRecorder()
    private let provider: RefreshingTokenProvider
    private let repository: RemoteSessionRepository

    init() {
        let server = ServerClock(clock)
        provider = RefreshingTokenProvider(
            store: store, refresher: SessionTokenRefresher(client: open, clock: server), clock: server,
            logger: log.logger())
        repository = RemoteSessionRepository(
            client: client, open: open, provider: provider, store: store, server: Self.server, clock: server)
    }

    private static let server = "http://tides.test:80"
    /// A JSON Web Token of the user `u1`, as far as the client looks into it.
    private static let access = "e30.\(Data(#"{"sub":"u1"}"#.utf8).base64EncodedString()).x"

    private func login() async throws {
        open.on(CreateSession.self) { _, _ in
            TokenPayload(accessToken: Self.access, expiresIn: 900, refreshToken: "refresh-1")
        }
        _ = try await repository.login(username: "ada", password: Secret("a good password"), device: "laptop")
    }

    private func loginError(_ kind: NetworkError.Kind) async -> DomainError? {
        open.fail(CreateSession.self, kind)
        return await #expect(throws: DomainError.self) {
            try await repository.login(username: "ada", password: Secret("wrong"), device: "laptop")
        }
    }

    @Test func `a login keeps the tokens and says where`() async throws {
        open.on(CreateSession.self) { _, _ in
            TokenPayload(accessToken: Self.access, expiresIn: 900, refreshToken: "refresh-1")
        }
        let place = try await repository.login(username: "ada", password: Secret("p"), device: "laptop")
        #expect(place == "memory")
        let stored = try #require(try await store.read())
        #expect(stored.access == Secret(Self.access) && stored.refresh == Secret("refresh-1"))
        #expect(stored.expiresAt == clock.now.addingTimeInterval(900))
        #expect(try await provider.currentToken() == Secret(Self.access))
        let sent = try #require(open.calls(to: CreateSession.self).first).credentials
        #expect(sent.username == "ada" && sent.password == "p" && sent.device == "laptop")
        #expect(stored.account?.server == Self.server && stored.account?.userId == "u1")
        #expect(stored.account?.username == "ada" && stored.account?.loggedInAt == clock.now)
        #expect(client.calls.isEmpty && open.calls(to: RevokeToken.self).isEmpty)
    }

    @Test func `a wrong password is said so and leaves the session that was there`() async throws {
        try await login()
        let problem = Problem(title: "Not authenticated", status: 401, code: "invalid_credentials")
        let error = await loginError(.unauthorized(problem))
        #expect(
            error
                == .unauthorized(
                    "The username or the password is wrong; run '\(ProgramName.current) login' to try again."))
        #expect(try await store.read()?.access == Secret(Self.access))
    }

    @Test func `a login ends the session it replaces, and succeeds also when that cannot be told`() async throws {
        try await login()
        open.on(RevokeToken.self) { [store] _, options in
            #expect(try await store.read()?.refresh == Secret("refresh-2"))
            #expect(options.deadline == .seconds(5))
            throw NetworkError(.offline("no route"))
        }
        open.on(CreateSession.self) { _, _ in
            TokenPayload(accessToken: Self.access, expiresIn: 900, refreshToken: "refresh-2")
        }
        _ = try await repository.login(username: "bob", password: Secret("p"), device: "laptop")
        #expect(open.calls(to: RevokeToken.self).map(\.revocation.token) == ["refresh-1"])
        #expect(try await store.read()?.account?.username == "bob")
    }

    @Test func `a session of another server is not told to this one`() async throws {
        var elsewhere = SessionTokens(
            access: Secret(Self.access), refresh: Secret("refresh-0"), expiresAt: clock.now.addingTimeInterval(900))
        elsewhere.account = SessionAccount(server: "http://harbour.test:80", userId: "u1", username: "ada")
        try await store.write(elsewhere)
        try await login()
        #expect(open.calls(to: RevokeToken.self).isEmpty)
    }

    @Test func `a token that names no user is refused, and its session ended`() async throws {
        try await login()
        open.on(RevokeToken.self) { _, _ in NoContent() }
        open.on(CreateSession.self) { _, _ in
            TokenPayload(accessToken: "opaque", expiresIn: 900, refreshToken: "refresh-2")
        }
        await #expect(throws: DomainError.self) {
            try await repository.login(username: "bob", password: Secret("p"), device: "laptop")
        }
        #expect(open.calls(to: RevokeToken.self).map(\.revocation.token) == ["refresh-2"])
        #expect(try await store.read()?.refresh == Secret("refresh-1"))
    }

    @Test(arguments: [
        ("\r\nX-Evil: 1", "refresh-2"), (" ", "refresh-2"), ("é", "refresh-2"), ("\0", "refresh-2"),
        (String(repeating: "a", count: 16_384), "refresh-2"), ("", "refresh-2\r\nX-Evil: 1"), ("", "refresh 2"),
        ("", ""),
    ])
    func `a login with a token that cannot be sent is refused, and the session that was there stays`(
        ending: String, refresh: String
    ) async throws {
        try await login()
        let stored = try await store.read()
        open.on(CreateSession.self) { _, _ in
            TokenPayload(accessToken: Self.access + ending, expiresIn: 900, refreshToken: refresh)
        }
        let error = await #expect(throws: DomainError.self) {
            try await repository.login(username: "bob", password: Secret("p"), device: "laptop")
        }
        #expect(error?.description.contains("characters that no token has") == true)
        #expect(try await store.read() == stored)
        #expect(try await provider.currentToken() == Secret(Self.access))
    }

    @Test func `a login with tokens of another type than Bearer is refused`() async throws {
        open.on(CreateSession.self) { _, _ in
            var payload = TokenPayload(accessToken: Self.access, expiresIn: 900, refreshToken: "refresh-1")
            payload.tokenType = "mac"
            return payload
        }
        let error = await #expect(throws: DomainError.self) {
            try await repository.login(username: "ada", password: Secret("p"), device: "laptop")
        }
        #expect(error?.description.contains("'mac'") == true)
        #expect(try await store.read() == nil)
    }

    @Test func `a throttled login says how long to wait`() async {
        #expect(
            await loginError(.rateLimited(retryAfter: .seconds(300)))
                == .busy("Too many logins failed; wait 300 seconds, then try again.", retryAfter: .seconds(300)))
        #expect(
            await loginError(.rateLimited(retryAfter: nil))
                == .busy("Too many logins failed; wait a while, then try again."))
    }

    @Test func `sign-in that is switched off is forbidden, in the server's words`() async {
        let problem = Problem(title: "Not allowed", status: 403, detail: "Signing in is off.", code: "sign_in_disabled")
        #expect(await loginError(.forbidden(problem)) == .forbidden("Signing in is off."))
    }

    @Test func `an unreachable server names the way out`() async {
        guard case .unavailable(let text)? = await loginError(.offline("connection refused")) else {
            Issue.record("not unavailable")
            return
        }
        #expect(text.contains("connection refused") && text.contains("--server"))
    }

    @Test func `tokens that cannot be stored are a storage error`() async throws {
        open.on(CreateSession.self) { _, _ in
            TokenPayload(accessToken: Self.access, expiresIn: 900, refreshToken: "refresh-1")
        }
        open.on(RevokeToken.self) { _, _ in NoContent() }
        store.failure = TokenStoreError("The disk is full; free some space.")
        await #expect(throws: DomainError.storage("The disk is full; free some space.")) {
            try await repository.login(username: "ada", password: Secret("p"), device: "laptop")
        }
        // Nothing has its tokens: the session that the server made is ended again.
        #expect(open.calls(to: RevokeToken.self).map(\.revocation.token) == ["refresh-1"])
    }

    @Test func `a logout forgets the tokens and revokes the refresh token`() async throws {
        try await login()
        open.on(RevokeToken.self) { _, _ in NoContent() }
        #expect(try await repository.logout(everywhere: false))
        #expect(try await store.read() == nil)
        #expect(open.calls(to: RevokeToken.self).map(\.revocation.token) == ["refresh-1"])
        #expect(client.calls.isEmpty)
        #expect(try await provider.currentToken() == nil)
    }

    @Test func `a logout without a network forgets the tokens all the same and says so`() async throws {
        try await login()
        open.fail(RevokeToken.self, .offline("no route"))
        #expect(try await !repository.logout(everywhere: false))
        #expect(try await store.read() == nil)
    }

    @Test func `the tokens are gone before the server is asked`() async throws {
        try await login()
        open.on(RevokeToken.self) { [store] _, options in
            let stored = try await store.read()
            #expect(stored == nil)
            #expect(options.deadline == .seconds(5))
            return NoContent()
        }
        #expect(try await repository.logout(everywhere: false))
    }

    @Test func `a logout of nobody is done at once`() async throws {
        #expect(try await repository.logout(everywhere: false))
        #expect(open.calls.isEmpty)
    }

    @Test func `a logout with tokens that cannot be read does not say the session has ended`() async throws {
        let damaged = DamagedTokenStore()
        let provider = RefreshingTokenProvider(
            store: damaged, refresher: SessionTokenRefresher(client: open, clock: ServerClock(clock)),
            logger: log.logger())
        let repository = RemoteSessionRepository(
            client: client, open: open, provider: provider, store: damaged, server: Self.server)
        #expect(try await !repository.logout(everywhere: false))
    }

    @Test func `a logout everywhere ends every session and then forgets the tokens`() async throws {
        try await login()
        client.on(EndSession.self) { _, _ in NoContent() }
        #expect(try await repository.logout(everywhere: true))
        #expect(client.calls(to: EndSession.self).map(\.target) == ["all"])
        #expect(open.calls(to: RevokeToken.self).isEmpty)
        #expect(try await store.read() == nil)
    }

    @Test func `a logout everywhere without a network changes nothing and names the other way`() async throws {
        try await login()
        client.fail(EndSession.self, .offline("no route"))
        let error = await #expect(throws: DomainError.self) { try await repository.logout(everywhere: true) }
        guard case .unavailable(let text)? = error else {
            Issue.record("not unavailable")
            return
        }
        #expect(text.contains("'\(ProgramName.current) logout'"))
        #expect(try await store.read() != nil)
    }

    @Test func `who is not logged in is told how to log in`() async {
        client.fail(GetMe.self, .unauthorized(nil))
        client.fail(ListSessions.self, .unauthorized(nil))
        let expected = DomainError.unauthorized("Not logged in; run '\(ProgramName.current) login'.")
        await #expect(throws: expected) { try await repository.me() }
        await #expect(throws: expected) { try await repository.list(upTo: 9) }
    }

    @Test func `sessions are listed and revoked by id`() async throws {
        let session = Session(
            id: Session.ID("s1"), device: "phone", createdAt: clock.now, lastUsedAt: clock.now, isCurrent: false)
        client.on(ListSessions.self) { _, _ in ListPayload(items: [session]) }
        #expect(try await repository.list(upTo: 9) == ([session], 1))
        client.on(EndSession.self) { _, _ in NoContent() }
        try await repository.delete(session.id)
        #expect(client.calls(to: EndSession.self).map(\.target) == ["s1"])
        client.fail(EndSession.self, .notFound(Problem(title: "", status: 404, detail: "There is no session 's1'.")))
        await #expect(
            throws: DomainError.notFound(
                "There is no session 's1'. '\(ProgramName.current) sessions list' shows those there are.")
        ) { try await repository.delete(session.id) }
    }
}

/// Tokens that cannot be read, only cleared.
private struct DamagedTokenStore: TokenStore {
    var place: String { "nowhere" }
    func read() async throws(TokenStoreError) -> SessionTokens? { throw TokenStoreError("The file is damaged.") }
    func write(_ tokens: SessionTokens) async throws(TokenStoreError) {}
    func clear() async throws(TokenStoreError) {}
    func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await body()
    }
}
