import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

/// Who may call what: every caller on every endpoint of the feature.
@Suite struct AccessMatrixTests {
    private enum Who: String, CaseIterable {
        case nobody, forged, expired, ended, member, admin, host
    }

    private struct Attempt: Sendable {
        let route: Route
        let access: Access
        let status: @Sendable (AccountsClient, AccountsClient.Caller) async throws -> (Int, String?)

        /// - Parameter endpoint: A call that would change nothing others need, were it allowed.
        init<E: RoutedEndpoint>(_ endpoint: E, _ access: Access) {
            route = E.route
            self.access = access
            status = { client, caller in
                let reply = try await client.reply(endpoint, as: caller)
                return (reply.status, reply.headers["WWW-Authenticate"])
            }
        }
    }

    private static let attempts: [Attempt] = [
        Attempt(
            CreateSession(credentials: Credentials(username: "ada", password: "a good password", device: nil)), .anyone),
        Attempt(RefreshSession(grant: TokenGrant(refreshToken: "slr_unknown")), .anyone),
        Attempt(RevokeToken(revocation: Revocation(token: "slr_unknown")), .anyone),
        Attempt(AuthorizeDevice(request: DeviceRequest(deviceName: "laptop")), .anyone),
        Attempt(ShowDevicePage(), .anyone),
        Attempt(SendDevicePage(form: DeviceForm()), .anyone),
        Attempt(ShowSignInPage(), .anyone), Attempt(SendSignInPage(form: SignInForm(next: "/")), .anyone),
        Attempt(SendSignOut(form: SignOutForm(formToken: "x")), .anyone),
        Attempt(ShowAdminPage(), .anyone), Attempt(SendAdminPage(form: AdminForm(formToken: "x")), .anyone),
        Attempt(GetKeySet(), .anyone), Attempt(GetServerMetadata(), .anyone),
        Attempt(ListSessions(), .users), Attempt(EndSession(target: "unknown"), .users), Attempt(GetMe(), .users),
        Attempt(
            ChangePassword(change: PasswordChange(currentPassword: "wrong", newPassword: "a newer password")), .users),
        Attempt(RequestPasswordReset(request: PasswordResetRequest(username: "unknown")), .anyone),
        Attempt(ShowPasswordResetPage(token: "unknown"), .anyone),
        Attempt(SendPasswordResetPage(form: PasswordResetForm(token: "unknown")), .anyone),
        Attempt(ListUsers(), .admins), Attempt(GetUser(id: User.ID("unknown")), .admins),
        Attempt(CreateUser(draft: UserDraft(username: "", role: .member, password: nil)), .admins),
        Attempt(
            UpdateUser(id: User.ID("unknown"), draft: UserDraft(username: "x", role: .admin, password: nil)),
            .admins),
        Attempt(DeleteUser(id: User.ID("unknown")), .admins),
        Attempt(CreateHostToken(draft: HostTokenDraft(name: "")), .admins), Attempt(ListHostTokens(), .admins),
        Attempt(DeleteHostToken(id: HostToken.ID("unknown")), .admins),
    ]

    private static func expected(_ who: Who, _ access: Access) -> Int? {
        switch (who, access) {
        case (_, .anyone): nil
        case (.nobody, _), (.forged, _), (.expired, _), (.ended, _): 401
        case (.member, .admins), (.host, .users), (.host, .admins): 403
        default: nil
        }
    }

    @Test func `each role may do what the table says and nothing else`() async throws {
        try await withAccounts { backend, client in
            var routes = APIRoutes()
            backend.accounts.mount(on: &routes)
            #expect(Set(routes.mounted.map(\.route)) == Set(Self.attempts.map(\.route)))
            for endpoint in routes.mounted {
                #expect(Self.attempts.first { $0.route == endpoint.route }?.access == endpoint.access)
            }

            let expired = try await client.login().accessToken
            backend.clock.advance(by: .seconds(1000))
            let ended = try await client.login().accessToken
            _ = try await client.send(EndSession(target: "current"), as: .bearer(ended))
            let admin = try await client.login("root").accessToken
            let host = try await client.send(
                CreateHostToken(draft: HostTokenDraft(name: "web-1")), as: .bearer(admin)
            ).key
            let callers: [Who: AccountsClient.Caller] = [
                .nobody: .nobody, .forged: .bearer(admin.dropLast() + "!"), .expired: .bearer(expired),
                .ended: .bearer(ended), .member: .bearer(try await client.login().accessToken), .admin: .bearer(admin),
                .host: .key(try #require(host).reveal()),
            ]
            #expect(callers.count == Who.allCases.count)
            for (who, caller) in callers {
                for attempt in Self.attempts {
                    let (status, challenge) = try await attempt.status(client, caller)
                    let comment: Comment = "\(who) \(attempt.route) → \(status)"
                    #expect(status < 500, comment)
                    if let expected = Self.expected(who, attempt.access) {
                        #expect(status == expected, comment)
                        #expect(challenge?.hasPrefix("Bearer") == true, comment)
                    } else {
                        #expect(status != 401 && status != 403, comment)
                    }
                }
            }
        }
    }
}
