import AccountsAPI
import AccountsData
import AccountsDomain
import Foundation
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import StrataTokens
import Testing

/// Many calls of one process, through the client the apps use, against the real server.
@Suite(.serialized) struct CrowdTests {
    @Test func `a thousand calls with an expired token refresh once and all succeed`() async throws {
        let workspace = try Workspace(clockMoves: true)
        let server = try await workspace.startServer()
        let transport = AsyncHTTPTransport()
        let resilience = Resilience(try ResilienceOptions(deadline: .seconds(60)))
        let base = try HTTPURL(server.url)
        let open = try HTTPAPIClient(baseURL: base, transport: transport, resilience: resilience)
        let clock = ManualWallClock(Date())
        let serverClock = ServerClock(clock)
        let store = try FileTokenStore(directory: "\(workspace.root)/tokens")
        let provider = RefreshingTokenProvider(
            store: store, refresher: SessionTokenRefresher(client: open, clock: serverClock), clock: serverClock)
        let client = try HTTPAPIClient(
            baseURL: base, transport: transport, auth: .bearer(provider), resilience: resilience)
        let sessions = RemoteSessionRepository(
            client: client, open: open, provider: provider, store: store, server: server.url, clock: serverClock)
        _ = try await sessions.login(
            username: "ada", password: Secret(Workspace.password), device: "crowd")
        try workspace.expireAccessTokens()
        clock.advance(by: .seconds(Workspace.accessTokenSeconds + 1))
        let before = try await server.metric("shiftlog_token_refreshes_total")

        let successes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1000 { group.addTask { (try? await client.send(GetMe()))?.username == "ada" } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }

        let refreshes = try await server.metric("shiftlog_token_refreshes_total") - before
        await transport.shutdown()
        #expect(successes == 1000)
        print("expired token: 1000 calls at once, \(successes) successes, \(Int(refreshes)) refresh(es)")
        #expect(refreshes == 1)
    }
}
