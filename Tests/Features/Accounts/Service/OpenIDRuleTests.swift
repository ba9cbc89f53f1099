import AccountsDomain
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

private enum StaffRole: String, ServiceRole {
    case planner
    func may(_ action: RowAction, _ collection: String) -> Bool { true }
}

@Suite struct OpenIDRuleTests {
    /// Users of the group `on-call` become planners, the subject `boss` is linked to the account `root`, and others are refused.
    private static let rule = OpenIDRule(scopes: ["email", "groups"]) { user in
        if user.subject.hasPrefix("boss") { return .existing(name: "root") }
        if user.subject == "lost" { return .existing(name: "nobody") }
        guard user.texts("groups").contains("on-call"), user.claims["email_verified"] == .bool(true) else {
            return .refused
        }
        return .created(name: user.texts("email").first, role: UserRole(StaffRole.planner))
    }

    @Test func `a rule of the owner sees the claims, and gives name and role`() async throws {
        try await withOpenID(nil, rule: Self.rule) { backend, client, provider in
            let start = try await client.browser.open("/signin/openid")
            #expect(start.headers["Location"]?.contains("scope=openid%20email%20groups") == true)
            let (refused, _) = try await client.browser.signIn(at: provider, as: "9")
            #expect(refused.status == 403 && refused.text.contains("no account here is linked"))
            provider.say(["groups": #"["cooks","on-call"]"#, "email_verified": "false"])
            #expect(try await client.browser.signIn(at: provider, as: "9").0.status == 403)
            provider.say(["groups": #"["cooks","on-call"]"#, "email_verified": "true"])
            let (reply, browser) = try await client.browser.signIn(at: provider, as: "9")
            #expect(try await browser.after(reply).user() == "root-2")
            let user = try await backend.accounts.users().map(\.user).first { $0.username == "root-2" }
            #expect(user?.role == Role(rawValue: "planner"))
            // The link stays, whatever the rule says now.
            provider.say(["groups": "[]"])
            #expect(try await client.browser.signIn(at: provider, as: "9").0.status == 303)
        }
    }

    @Test func `a rule links an account that exists, to one user of the provider`() async throws {
        try await withOpenID(nil, rule: Self.rule) { backend, client, provider in
            let (reply, browser) = try await client.browser.signIn(at: provider, as: "boss")
            #expect(try await browser.after(reply).user() == "root")
            #expect(try await client.browser.signIn(at: provider, as: "boss").0.status == 303)
            let (other, _) = try await client.browser.signIn(at: provider, as: "boss-2")
            #expect(other.status == 403 && other.headers["Set-Cookie"] == nil)
            #expect(try await client.browser.signIn(at: provider, as: "lost").0.status == 403)
            #expect(try await backend.accounts.users().count == 2)
            // An administrator may link a second user to it.
            try await backend.accounts.link("root", issuer: ProviderDouble.issuer, subject: "boss-2")
            #expect(try await client.browser.signIn(at: provider, as: "boss-2").0.status == 303)
        }
    }

    @Test(arguments: [OpenIDOptions.Accounts.link, .create])
    func `the setting of the operator comes before the rule`(accounts: OpenIDOptions.Accounts) async throws {
        try await withOpenID(accounts, rule: Self.rule) { backend, client, provider in
            let (reply, _) = try await client.browser.signIn(at: provider, as: "boss", name: "eve")
            #expect(reply.status == (accounts == .link ? 403 : 303))
            let names = try await backend.accounts.users().map(\.user.username)
            #expect(names == (accounts == .link ? ["ada", "root"] : ["ada", "eve", "root"]))
        }
    }

    @Test func `without a rule and a setting an administrator links accounts`() async throws {
        try await withOpenID(nil) { _, client, provider in
            let (reply, _) = try await client.browser.signIn(at: provider, as: "9")
            #expect(reply.status == 403)
        }
    }
}
