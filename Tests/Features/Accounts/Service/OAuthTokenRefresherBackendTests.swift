import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import StrataTokens
import Testing

/// The stock refresher of RFC 6749 at this project's own token endpoint.
@Suite struct OAuthTokenRefresherBackendTests {
    private func refresher(_ client: AccountsClient, _ identity: OAuthClient) throws -> OAuthTokenRefresher {
        OAuthTokenRefresher(
            client: try HTTPAPIClient(
                baseURL: HTTPURL("http://localhost"), transport: InProcessTransport(client: client.client),
                resilience: Resilience(ResilienceOptions(retry: .never)), logger: LogRecorder().logger()),
            path: "/v1/oauth/token", as: identity, clock: ServerClock(ManualWallClock()))
    }

    @Test func `a public client refreshes, and the new pair works`() async throws {
        try await withAccounts { _, client in
            let first = try await client.login()
            let refresher = try refresher(client, .public(id: "stock"))
            let second = try await refresher.refresh(Secret(first.refreshToken))
            #expect(second.refresh != Secret(first.refreshToken))
            #expect(second.expiresAt.timeIntervalSince(ManualWallClock().now) == Double(first.expiresIn))
            #expect(try await client.send(GetMe(), as: .bearer(second.access.reveal())).username == "ada")
            _ = try await refresher.refresh(#require(second.refresh))
        }
    }

    @Test func `a used up token ends the session`() async throws {
        try await withAccounts { _, client in
            let refresher = try refresher(client, .public(id: "stock"))
            let store = MemoryTokenStore(
                SessionTokens(access: Secret("a"), refresh: Secret("slr_unknown"), expiresAt: .distantPast))
            let provider = RefreshingTokenProvider(store: store, refresher: refresher, logger: LogRecorder().logger())
            await #expect(throws: NetworkError.self) { try await provider.refreshToken(rejecting: Secret("a")) }
            #expect(try await store.read() == nil)
        }
    }
}
