import AccountsAPI
import AccountsData
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import Testing

/// The fake and the repositories of the command line, over the real backend, keep the promises of the ports.
struct AccountRepositoryContractTests {
    @Test func `the fake keeps the promises of the ports`() async throws {
        try await UserRepositoryContract(repository: FakeUsers(accounts: FakeAccountRepository())).check()
        try await HostTokenRepositoryContract(repository: FakeHostTokens(accounts: FakeAccountRepository())).check()
    }

    @Test func `the repositories over the backend keep the promises of the ports`() async throws {
        try await withAccounts { _, client in
            let token = try await client.login("root").accessToken
            let api = try HTTPAPIClient(
                baseURL: HTTPURL("http://localhost"), transport: InProcessTransport(client: client.client),
                auth: .bearer(ScriptedTokens(token)), resilience: Resilience(random: { 0 }), logger: .silent)
            try await UserRepositoryContract(repository: RemoteUserRepository(client: api)).check()
            try await HostTokenRepositoryContract(repository: RemoteHostTokenRepository(client: api)).check()
        }
    }
}
