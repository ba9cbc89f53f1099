import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

@Suite struct OpenIDSignOutTests {
    @Test func `a user of the provider signs out here, and is shown the way out there`() async throws {
        try await withOpenID { backend, client, provider in
            try await backend.accounts.link("ada", issuer: ProviderDouble.issuer, subject: "7")
            let (reply, returned) = try await client.browser.signIn(at: provider, as: "7")
            let browser = try returned.after(reply)
            let out = try await browser.send("/signout", ["form_token": try await browser.formToken()])
            #expect(out.status == 200 && out.headers["Clear-Site-Data"] == "\"cache\"")
            #expect(out.text.contains("Sign out of Example, too") && out.text.contains(#"href="/signout/openid""#))
            #expect(try await browser.user() == nil)
            let left = try browser.after(out)
            #expect(left.cookie == nil)
            let there = try await left.open("/signout/openid")
            #expect(there.status == 303 && there.headers["Cache-Control"] == "no-store")
            let back = "https%3A%2F%2Fshiftlog.example%2Fsignin"
            let expected =
                "\(ProviderDouble.issuer)/end?tenant=1&client_id=shiftlog&post_logout_redirect_uri=\(back)"
            #expect(there.headers["Location"] == expected)
        }
    }

    @Test func `a user whom the provider does not know signs out as before`() async throws {
        try await withOpenID { _, client, _ in
            let browser = try await client.browser.signedIn()
            let out = try await browser.send("/signout", ["form_token": try await browser.formToken()])
            #expect(out.status == 303 && out.headers["Location"] == "/signin")
            #expect(try await browser.user() == nil)
        }
    }

    @Test func `a provider without such a page, or without an answer, is a page`() async throws {
        try await withOpenID(endsSessions: false) { _, client, _ in
            let reply = try await client.browser.open("/signout/openid")
            #expect(reply.status == 200 && reply.text.contains("Example has no page for this."))
        }
        try await withOpenID { _, client, provider in
            provider.fail(with: ProviderDouble.response(500, ""))
            let reply = try await client.browser.open("/signout/openid")
            #expect(reply.status == 503 && reply.text.contains("Example cannot be used"))
        }
    }
}
