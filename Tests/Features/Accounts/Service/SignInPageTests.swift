import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

/// Sessions of browsers: the cookie, its forms, and what ends it.
@Suite struct SignInPageTests {
    @Test func `the cookie is for this host over https only, hidden from scripts, and lives twelve hours`()
        async throws
    {
        try await withAccounts { backend, client in
            let password = AccountsBackend.password.reveal()
            let reply = try await client.browser.send("/signin", ["username": "ada", "password": password])
            #expect(reply.status == 303 && reply.headers["Location"] == "/signin")
            let field = try #require(reply.headers["Set-Cookie"])
            let attributes = "Path=/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure"
            #expect(field.wholeMatch(of: /__Host-shiftlog=slp_[A-Za-z0-9_-]{43}; (.*)/)?.1 ?? "" == attributes)
            let browser = try client.browser.after(reply)
            #expect(try await browser.user() == "ada")
            backend.clock.advance(by: .seconds(43_199))
            #expect(try await browser.user() == "ada")
            backend.clock.advance(by: .seconds(1))
            #expect(try await browser.user() == nil)
        }
    }

    @Test func `over http the cookie has neither the prefix nor Secure`() async throws {
        try await withAccounts(issuer: "http://127.0.0.1:8080") { _, client in
            let password = AccountsBackend.password.reveal()
            let reply = try await client.browser.send("/signin", ["username": "ada", "password": password])
            let field = try #require(reply.headers["Set-Cookie"])
            #expect(field.hasPrefix("shiftlog=slp_") && field.hasSuffix("HttpOnly; SameSite=Lax"))
            #expect(try await client.browser.after(reply).user() == "ada")
        }
    }

    @Test func `the database has no secret of a cookie`() async throws {
        try await withAccounts { backend, client in
            let cookie = try #require(try await client.browser.signedIn().cookie)
            let secret = try #require(cookie.split(separator: "=").last)
            let rows = try await backend.rows("SELECT page_hash FROM auth_session WHERE page_hash IS NOT NULL")
            #expect(try rows.map { try $0.text("page_hash") } == [try #require(OpaqueToken.digest(String(secret)))])
        }
    }

    @Test func `a login makes a new secret and ends the session that the browser had`() async throws {
        try await withAccounts { _, client in
            let attacker = try await client.browser.signedIn("ada")
            // The browser of the victim has the cookie of the attacker.
            let victim = try await attacker.signedIn("root")
            #expect(victim.cookie != attacker.cookie)
            #expect(try await victim.user() == "root")
            #expect(try await attacker.user() == nil)
            var planted = client.browser
            planted.cookie = "\(AccountsBackend.cookie)=slp_chosen"
            #expect(try await planted.signedIn().cookie?.contains("chosen") == false)
            #expect(try await planted.user() == nil)
        }
    }

    @Test func `a logout ends the session and deletes the cookie`() async throws {
        try await withAccounts { _, client in
            let browser = try await client.browser.signedIn()
            let reply = try await browser.send("/signout", ["form_token": browser.formToken()])
            #expect(reply.status == 303 && reply.headers["Location"] == "/signin")
            #expect(reply.headers["Clear-Site-Data"] == "\"cache\"")
            #expect(
                reply.headers["Set-Cookie"]
                    == "__Host-shiftlog=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure")
            #expect(try await browser.user() == nil)
            // Once more, without a session.
            #expect(try await browser.send("/signout", ["form_token": "spent"]).status == 303)
        }
    }

    @Test func `a form for a password leads to a new one only where mails reset passwords`() async throws {
        let link = "<a href=\"/password-reset\">"
        try await withAccounts { _, client in
            let form = ["username": "ada", "password": "wrong"]
            let forms = [try await client.browser.open("/signin"), try await client.browser.send("/signin", form)]
            for page in forms { #expect(page.text.contains(link)) }
            let page = try await client.browser.signedIn().open("/signin")
            #expect(page.text.contains("as <strong>ada<") && !page.text.contains(link))
        }
        try await withAccounts(mails: false) { _, client in
            let page = try await client.browser.open("/signin")
            #expect(page.status == 200 && !page.text.contains("/password-reset"))
        }
    }

    private static let ends: [(String, @Sendable (AccountsBackend, AccountsClient) async throws -> Void)] = [
        (
            "its row in the list of sessions",
            { _, client in
                let tokens = try await client.login()
                let sessions = try await client.send(ListSessions(), as: .bearer(tokens.accessToken)).items
                let page = try #require(sessions.first { $0.device == "browser" })
                _ = try await client.send(EndSession(target: page.id.rawValue), as: .bearer(tokens.accessToken))
            }
        ),
        (
            "a logout everywhere",
            { _, client in
                _ = try await client.send(EndSession(target: "all"), as: client.member())
            }
        ),
        (
            "an operator who ends the sessions",
            { backend, _ in
                _ = try await backend.accounts.endSessions(of: "ada")
            }
        ),
        (
            "another password",
            { backend, _ in
                try await backend.accounts.setPassword(of: "ada", to: Secret("another password"))
            }
        ),
        ("the deletion of the user", { backend, _ in try await backend.accounts.deleteUser("ada") }),
    ]

    @Test(arguments: ends.indices)
    func `what ends a session ends that of a browser, too`(index: Int) async throws {
        let (name, end) = Self.ends[index]
        try await withAccounts { backend, client in
            let browser = try await client.browser.signedIn()
            #expect(try await browser.user() == "ada")
            try await end(backend, client)
            #expect(try await browser.user() == nil, "\(name)")
        }
    }

    @Test func `the cookie opens no endpoint besides pages`() async throws {
        try await withAccounts { _, client in
            let browser = try await client.browser.signedIn("root")
            #expect(try await browser.user() == "root")
            for path in ["/v1/me", "/v1/sessions", "/v1/users", "/v1/host-tokens"] {
                #expect(try await browser.open(path).status == 401, "\(path)")
            }
            let cookie = try #require(browser.cookie?.split(separator: "=").last)
            let refusal = try await client.refusal(
                of: RefreshSession(grant: TokenGrant(refreshToken: String(cookie))))
            #expect(refusal.problem.error == "invalid_grant")
            #expect(try await client.refusal(of: GetMe(), as: .bearer(String(cookie))).status == 401)
        }
    }

    @Test func `a wrong password shows the form again, and ten of them lock the name as on the API`() async throws {
        try await withAccounts { _, client in
            for _ in 0..<10 {
                let page = try await client.browser.send(
                    "/signin", ["username": "ada", "password": "wrong", "next": "/device"])
                #expect(page.status == 200 && page.headers["Set-Cookie"] == nil)
                #expect(page.text.contains("The username or the password is wrong."))
                #expect(page.text.contains("value=\"/device\"") && !page.text.contains("value=\"wrong\""))
            }
            let password = AccountsBackend.password.reveal()
            let page = try await client.browser.send("/signin", ["username": "ada", "password": password])
            #expect(page.status == 200 && page.text.contains("Too many logins failed"))
            let refusal = try await client.refusal(
                of: CreateSession(credentials: Credentials(username: "ada", password: password, device: nil)))
            #expect(refusal.problem.code == "too_many_logins")
        }
    }

    @Test func `without password login the page refuses`() async throws {
        try await withAccounts(allowsSignIn: false) { _, client in
            let password = AccountsBackend.password.reveal()
            let form = ["username": "ada", "password": password]
            for reply in [try await client.browser.open("/signin"), try await client.browser.send("/signin", form)] {
                #expect(reply.status == 403 && reply.headers["Set-Cookie"] == nil)
                #expect(try reply.decoded(Problem.self).code == "sign_in_disabled")
            }
        }
    }

    @Test func `hostile names are text on the page`() async throws {
        try await withAccounts { _, client in
            let names = [
                #""><script>alert(1)</script>"#, "{{nonce}}'&\"\u{301}onfocus=x", "\u{202E}nimda",
                String(repeating: "<b>", count: 3_400),
            ]
            for name in names {
                let page = try await client.browser.send("/signin", ["username": name, "password": "x", "next": name])
                #expect(page.status == 200)
                #expect(!page.text.contains("<script") && !page.text.contains("<b>") && !page.text.contains("\u{202E}"))
                let onfocus = "\"\u{301}onfocus"
                #expect(!page.text.contains(onfocus))
            }
            let nul = try await client.browser.send("/signin", ["username": "a\u{0}b", "password": "x"])
            #expect(nul.status == 400)
        }
    }
}
