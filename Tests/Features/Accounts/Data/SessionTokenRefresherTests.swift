import AccountsAPI
import AccountsData
import FoundationEssentials
import StrataDomain
import StrataTesting
import StrataTokens
import Testing

@Suite struct SessionTokenRefresherTests {
    private let client = MockAPIClient()
    private let clock = ManualWallClock()
    private var refresher: SessionTokenRefresher { SessionTokenRefresher(client: client, clock: ServerClock(clock)) }

    @Test func `the life of a token counts from the moment it was asked for`() async throws {
        let asked = clock.now
        client.on(RefreshSession.self) { [clock] endpoint, _ in
            #expect(endpoint.grant.grantType == "refresh_token")
            #expect(endpoint.grant.refreshToken == "refresh-1")
            clock.advance(by: .seconds(20))
            return TokenPayload(accessToken: "access-2", expiresIn: 900, refreshToken: "refresh-2")
        }
        let tokens = try await refresher.refresh(Secret("refresh-1"))
        #expect(tokens.access == Secret("access-2") && tokens.refresh == Secret("refresh-2"))
        #expect(tokens.expiresAt == asked.addingTimeInterval(900))
        #expect(tokens.issuedAt == asked)
    }

    @Test(arguments: [(-1, 0.0), (.min, 0), (.max, 366 * 86_400), (0, 0), (1, 1)])
    func `a life the server cannot mean is bounded`(seconds: Int, life: TimeInterval) async throws {
        client.on(RefreshSession.self) { _, _ in
            TokenPayload(accessToken: "a", expiresIn: seconds, refreshToken: "r")
        }
        #expect(try await refresher.refresh(Secret("x")).expiresAt == clock.now.addingTimeInterval(life))
    }

    @Test(arguments: ["", "a b", "a\r\nX-Evil: 1", "tokén", String(repeating: "a", count: 16_385), "\0"])
    func `a token that cannot be sent is refused, and the session is kept`(text: String) async throws {
        let store = MemoryTokenStore()
        let provider = RefreshingTokenProvider(
            store: store, refresher: refresher, clock: ServerClock(clock), logger: LogRecorder().logger())
        let tokens = SessionTokens(
            access: Secret("access-1"), refresh: Secret("refresh-1"), expiresAt: clock.now.addingTimeInterval(900))
        try await provider.install(tokens)
        let stored = try await store.read()
        for payload in [
            TokenPayload(accessToken: text, expiresIn: 900, refreshToken: "r"),
            TokenPayload(accessToken: "a", expiresIn: 900, refreshToken: text),
        ] {
            client.on(RefreshSession.self) { _, _ in payload }
            await #expect(throws: NetworkError.self) { try await provider.refreshToken(rejecting: Secret("access-1")) }
            #expect(try await store.read() == stored)
        }
    }

    @Test(arguments: [("Bearer", true), ("bearer", true), ("BEARER", true), ("mac", false), ("", false)])
    func `only tokens of the type Bearer are taken, in any case`(type: String, isTaken: Bool) async throws {
        client.on(RefreshSession.self) { _, _ in
            var payload = TokenPayload(accessToken: "a", expiresIn: 900, refreshToken: "r")
            payload.tokenType = type
            return payload
        }
        let tokens = try? await refresher.refresh(Secret("x"))
        #expect((tokens != nil) == isTaken)
    }

    @Test(arguments: [
        NetworkError.Kind.validation(nil),
        .validation(Problem(title: "x", status: 400, error: "unsupported_grant_type")),
        .unauthorized(nil), .notFound(nil), .status(413, nil), .forbidden(nil),
    ])
    func `a refused refresh that keeps the session is not taken for the answer to the call`(kind: NetworkError.Kind)
        async throws
    {
        let store = MemoryTokenStore()
        let provider = RefreshingTokenProvider(
            store: store, refresher: refresher, clock: ServerClock(clock), logger: LogRecorder().logger())
        try await provider.install(
            SessionTokens(
                access: Secret("access-1"), refresh: Secret("refresh-1"), expiresAt: clock.now.addingTimeInterval(900)))
        client.fail(RefreshSession.self, kind)
        let error = await #expect(throws: NetworkError.self) {
            try await provider.refreshToken(rejecting: Secret("access-1"))
        }
        #expect(error?.isFromRefresh == true && error?.problem == nil)
        #expect(error.map { DomainError($0).isOutage } == true)
        #expect(try await store.read() != nil)
    }

    @Test func `a refresh whose answer was lost is asked for again, once`() async throws {
        client.on(RefreshSession.self) { [client] _, _ in
            if client.calls(to: RefreshSession.self).count == 1 { throw NetworkError(.connectionLost("reset")) }
            return TokenPayload(accessToken: "a", expiresIn: 900, refreshToken: "r")
        }
        #expect(try await refresher.refresh(Secret("refresh-1")).refresh == Secret("r"))
        #expect(client.calls(to: RefreshSession.self).map(\.grant.refreshToken) == ["refresh-1", "refresh-1"])

        client.fail(RefreshSession.self, .connectionLost("reset"))
        await #expect(throws: NetworkError.self) { try await refresher.refresh(Secret("refresh-2")) }
        #expect(client.calls(to: RefreshSession.self).count == 4)
    }

    @Test func `invalid_grant ends the session, and an unreachable server keeps it`() async throws {
        let store = MemoryTokenStore()
        let provider = RefreshingTokenProvider(
            store: store, refresher: refresher, clock: ServerClock(clock), logger: LogRecorder().logger())
        let tokens = SessionTokens(
            access: Secret("access-1"), refresh: Secret("refresh-1"), expiresAt: clock.now.addingTimeInterval(900))
        try await provider.install(tokens)

        client.fail(RefreshSession.self, .offline("no route"))
        await #expect(throws: NetworkError.self) { try await provider.refreshToken(rejecting: Secret("access-1")) }
        #expect(try await store.read() != nil)

        let problem = Problem(title: "", status: 400, code: "invalid_grant", error: "invalid_grant")
        client.fail(RefreshSession.self, .validation(problem))
        await #expect(throws: NetworkError.self) { try await provider.refreshToken(rejecting: Secret("access-1")) }
        #expect(try await store.read() == nil)
    }
}
