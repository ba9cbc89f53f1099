import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

@Suite struct SessionRoutesTests {
    @Test func `the list shows the caller's sessions and marks this one`() async throws {
        try await withAccounts { backend, client in
            _ = try await client.login(device: "phone")
            backend.clock.advance(by: .seconds(1))
            let tokens = try await client.login(device: "laptop")
            _ = try await client.login("root")
            let items = try await client.send(ListSessions(), as: .bearer(tokens.accessToken)).items
            #expect(items.map(\.device) == ["laptop", "phone"])
            #expect(items.map(\.isCurrent) == [true, false])
        }
    }

    @Test func `a logout ends this session at once and no other`() async throws {
        try await withAccounts { _, client in
            let (here, there) = (try await client.login(), try await client.login())
            let reply = try await client.reply(EndSession(target: "current"), as: .bearer(here.accessToken))
            #expect(reply.status == 204)
            let refusal = try await client.refusal(of: GetMe(), as: .bearer(here.accessToken))
            #expect(refusal.status == 401)
            #expect(refusal.problem.code == "invalid_token")
            #expect(
                try await client.refusal(of: RefreshSession(grant: TokenGrant(refreshToken: here.refreshToken)))
                    .problem.error == "invalid_grant")
            _ = try await client.send(GetMe(), as: .bearer(there.accessToken))
        }
    }

    @Test func `a logout everywhere ends every session of this user and of nobody else`() async throws {
        try await withAccounts { _, client in
            let (here, there) = (try await client.login(), try await client.login())
            let root = try await client.admin()
            _ = try await client.send(EndSession(target: "all"), as: .bearer(here.accessToken))
            for tokens in [here, there] {
                #expect(try await client.refusal(of: GetMe(), as: .bearer(tokens.accessToken)).status == 401)
            }
            _ = try await client.send(GetMe(), as: root)
        }
    }

    @Test func `one of the caller's sessions can be ended by its id, once`() async throws {
        try await withAccounts { _, client in
            let (here, there) = (try await client.login(), try await client.login(device: "stolen"))
            let caller = AccountsClient.Caller.bearer(here.accessToken)
            let id = try #require(try await client.send(ListSessions(), as: caller).items.first { !$0.isCurrent }).id
            _ = try await client.send(EndSession(target: id.rawValue), as: caller)
            #expect(try await client.refusal(of: GetMe(), as: .bearer(there.accessToken)).status == 401)
            #expect(try await client.refusal(of: EndSession(target: id.rawValue), as: caller).status == 404)
        }
    }

    @Test func `a foreign session and an unknown one are both not found, and nothing ends`() async throws {
        try await withAccounts { _, client in
            let victim = try await client.login()
            let id = try await client.send(ListSessions(), as: .bearer(victim.accessToken)).items[0].id
            let admin = try await client.admin()
            for target in [id.rawValue, "unknown", "' OR 1=1 --", "ALL"] {
                let refusal = try await client.refusal(of: EndSession(target: target), as: admin)
                #expect(refusal.status == 404)
                #expect(refusal.problem.code == "not_found")
            }
            _ = try await client.send(GetMe(), as: .bearer(victim.accessToken))
        }
    }

    @Test func `an access token is refused once it has expired, and a refresh helps`() async throws {
        try await withAccounts { backend, client in
            let tokens = try await client.login()
            backend.clock.advance(by: .seconds(899))
            _ = try await client.send(GetMe(), as: .bearer(tokens.accessToken))
            backend.clock.advance(by: .seconds(1))
            #expect(try await client.refusal(of: GetMe(), as: .bearer(tokens.accessToken)).status == 401)
            let next = try await client.send(
                RefreshSession(grant: TokenGrant(refreshToken: tokens.refreshToken)))
            _ = try await client.send(GetMe(), as: .bearer(next.accessToken))
        }
    }
}
