import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

@Suite struct PasswordChangeTests {
    private static let new = Secret("a newer password")

    private static func change(
        from current: String = AccountsBackend.password.reveal(), to new: String = new.reveal()
    ) -> ChangePassword {
        ChangePassword(change: PasswordChange(currentPassword: current, newPassword: new))
    }

    @Test func `a user changes the password, the session goes on and the others end`() async throws {
        try await withAccounts { backend, client in
            let here = try await client.login()
            let elsewhere = try await client.login(device: "phone")
            let other = try await client.admin()
            let reply = try await client.reply(Self.change(), as: .bearer(here.accessToken))
            #expect(reply.status == 204 && reply.body.isEmpty)
            #expect(try await client.send(GetMe(), as: .bearer(here.accessToken)).username == "ada")
            _ = try await client.send(RefreshSession(grant: TokenGrant(refreshToken: here.refreshToken)))
            #expect(try await client.refusal(of: GetMe(), as: .bearer(elsewhere.accessToken)).status == 401)
            let refresh = RefreshSession(grant: TokenGrant(refreshToken: elsewhere.refreshToken))
            #expect(try await client.refusal(of: refresh).problem.error == "invalid_grant")
            #expect(try await client.send(GetMe(), as: other).username == "root")
            #expect(try await client.send(ListSessions(), as: .bearer(here.accessToken)).items.count == 1)
            _ = try await client.login("ada", Self.new)
            let old = CreateSession(
                credentials: Credentials(
                    username: "ada", password: AccountsBackend.password.reveal(), device: nil))
            #expect(try await client.refusal(of: old).status == 401)
        }
    }

    @Test func `a wrong current password changes nothing, and counts as a failed login`() async throws {
        try await withAccounts { backend, client in
            let caller = try await client.member()
            for _ in 0..<10 {
                let refusal = try await client.refusal(of: Self.change(from: "wrong password"), as: caller)
                #expect(refusal.status == 422 && refusal.problem.errors?.map(\.field) == ["current_password"])
            }
            let locked = try await client.refusal(of: Self.change(), as: caller)
            #expect(locked.status == 429 && locked.problem.code == "too_many_logins")
            #expect(backend.log.lines.filter { $0.hasPrefix("notice login failed") }.count == 10)
            #expect(!backend.log.lines.contains { $0.contains("wrong password") })
            // The session that was there goes on, and the old password with it.
            #expect(try await client.send(GetMe(), as: caller).username == "ada")
            backend.clock.advance(by: .seconds(900))
            _ = try await client.login()
        }
    }

    @Test(arguments: ["", "short", String(repeating: "x", count: 1025)])
    func `a new password that breaks the rules is refused before the current one is checked`(new: String) async throws {
        try await withAccounts { backend, client in
            let caller = try await client.member()
            let refusal = try await client.refusal(of: Self.change(from: "wrong", to: new), as: caller)
            #expect(refusal.status == 422 && refusal.problem.errors?.map(\.field) == ["new_password"])
            #expect(!backend.log.lines.contains { $0.hasPrefix("notice login failed") })
            _ = try await client.login()
        }
    }

    @Test func `the body of a change is in no table`() async throws {
        try await withAccounts { backend, client in
            let request = try Self.change().request()
            let token = try await client.login().accessToken
            let reply = try await client.reply(
                "PUT", request.target, as: .bearer(token),
                headers: ["Content-Type": "application/json", "Idempotency-Key": "k"], body: request.body?.bytes)
            #expect(reply.status == 204)
            #expect(try await backend.rows("SELECT * FROM idempotent_answer").isEmpty)
        }
    }

    @Test func `without password login no password is changed`() async throws {
        try await withAccounts(allowsSignIn: false) { backend, client in
            let id = try await backend.rows("SELECT id FROM app_user WHERE username = 'ada'")[0].text("id")
            let grant = try await backend.store.write { transaction in
                try backend.accounts.refreshTokens.start(
                    userId: id, device: "x", at: backend.clock.now, in: transaction)
            }
            let tokens = try await client.send(
                RefreshSession(grant: TokenGrant(refreshToken: grant.refreshToken.reveal())))
            let refusal = try await client.refusal(of: Self.change(), as: .bearer(tokens.accessToken))
            #expect(refusal.status == 403 && refusal.problem.code == "sign_in_disabled")
        }
    }

    @Test func `of two changes at once, one finds the password that it knows`() async throws {
        try await withAccounts { _, client in
            let caller = try await client.member()
            let passwords = ["the first password", "the second password"]
            let changed = try await withThrowingTaskGroup(of: String?.self) { group in
                for password in passwords {
                    group.addTask {
                        let reply = try await client.reply(Self.change(to: password), as: caller)
                        #expect([204, 422].contains(reply.status))
                        return reply.status == 204 ? password : nil
                    }
                }
                return try await group.reduce(into: [String]()) { if let password = $1 { $0.append(password) } }
            }
            // The second one may have begun after the first had ended; then it is refused as well.
            #expect(changed.count == 1)
            _ = try await client.login("ada", Secret(try #require(changed.first)))
        }
    }
}
