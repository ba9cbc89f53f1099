import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

/// Id tokens on their way through the callback, from a provider that issues what no client may accept.
@Suite(.enabled(if: StoreEngine.chosen.isSQLite, "asks the checks of tokens, which come before the database"))
struct OpenIDTokenTests {
    @Test(arguments: TokenGroup.wrong)
    func `a wrong token signs no user in, and the valid one after it does`(group: TokenGroup) async throws {
        try await withOpenID(.create) { backend, client, provider in
            var seen = backend.log.lines.count
            for (number, token) in group.tokens.enumerated() {
                let comment = Comment(rawValue: token.name)
                let refusal = try #require(token.refusal, comment)
                let before = try await backend.rowsOfUsers()
                issue(token, from: provider, backend)
                let (reply, browser) = try await client.browser.signIn(at: provider, as: "user \(number)")
                #expect(reply.status == refusal.status && reply.headers["Set-Cookie"] == nil, comment)
                #expect(reply.headers["Location"] == nil && reply.text.contains(refusal.sentence), comment)
                #expect(try await browser.user() == nil, comment)
                #expect(try await backend.rowsOfUsers() == before, comment)
                let lines = backend.log.lines.dropFirst(seen)
                seen += lines.count
                let said = lines.filter { $0.contains("sign-in at the OpenID provider failed") }
                #expect(said.count == 1, comment)
                #expect(said.last?.contains("reason=\(refusal.rawValue)") == true, "\(token.name): \(said.last ?? "")")
                let shown = ([reply.text] + lines).joined()
                for part in provider.lastToken.split(separator: ".") where part.utf8.count >= 8 {
                    #expect(!shown.contains(part), comment)
                }
                issue(.valid, from: provider, backend)
                try await expectSignIn(at: provider, as: "user \(number)", client, comment)
            }
            #expect(provider.askedURLs.isSubset(of: Self.urls))
        }
    }

    @Test(arguments: TokenGroup.valid)
    func `a token that the standards allow signs a user in`(group: TokenGroup) async throws {
        try await withOpenID(.create) { backend, client, provider in
            for (number, token) in group.tokens.enumerated() {
                issue(token, from: provider, backend)
                try await expectSignIn(at: provider, as: "user \(number)", client, Comment(rawValue: token.name))
            }
            #expect(provider.askedURLs.isSubset(of: Self.urls))
        }
    }

    /// What a sign-in asks the provider for; nothing that a token names.
    private static let urls = Set(
        ["/.well-known/openid-configuration", "/keys", "/token"].map { ProviderDouble.issuer + $0 })

    /// An hour passes, after which the service reads the keys again.
    private func issue(_ token: IssuedToken, from provider: ProviderDouble, _ backend: AccountsBackend) {
        provider.issue(token)
        backend.clock.advance(by: .seconds(3601))
    }

    private func expectSignIn(
        at provider: ProviderDouble, as subject: String, _ client: AccountsClient, _ comment: Comment
    ) async throws {
        let (reply, browser) = try await client.browser.signIn(at: provider, as: subject)
        #expect(reply.status == 303 && reply.headers["Location"] == "/signin", comment)
        guard reply.status == 303 else { return }
        #expect(try await browser.after(reply).user() != nil, comment)
    }
}

extension AccountsBackend {
    /// Accounts, their links to users of a provider, and sessions.
    fileprivate func rowsOfUsers() async throws -> [String] {
        var rows: [String] = []
        for row in try await self.rows("SELECT username FROM app_user ORDER BY username") {
            rows.append("account \(try row.text("username"))")
        }
        for row in try await self.rows("SELECT subject, user_id FROM openid_link ORDER BY subject") {
            rows.append("link \(try row.text("subject")) \(try row.text("user_id"))")
        }
        for row in try await self.rows("SELECT id FROM auth_session ORDER BY id") {
            rows.append("session \(try row.text("id"))")
        }
        return rows
    }
}
