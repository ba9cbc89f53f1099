import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataHTTP
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

@Suite struct OpenIDSignInTests {
    @Test func `a linked user gets a session, and the page that was asked for`() async throws {
        try await withOpenID { backend, client, provider in
            try await backend.accounts.link("ada", issuer: ProviderDouble.issuer, subject: "7")
            let (reply, browser) = try await client.browser.signIn(at: provider, as: "7", next: "/device?user_code=A-B")
            #expect(reply.status == 303 && reply.headers["Location"] == "/device?user_code=A-B")
            #expect(reply.headers["Set-Cookie"]?.hasPrefix(AccountsBackend.cookie) == true)
            #expect(try await browser.after(reply).user() == "ada")
            let attempts = try await backend.rows("SELECT state_hash FROM openid_attempt")
            #expect(attempts.isEmpty)
        }
    }

    @Test func `a user whom no account is linked to is refused, whatever name they have`() async throws {
        try await withOpenID { backend, client, provider in
            let (reply, browser) = try await client.browser.signIn(at: provider, as: "8<b>", name: "root")
            #expect(reply.status == 403 && reply.headers["Set-Cookie"] == nil)
            #expect(reply.text.contains("no account here is linked") && reply.text.contains("8&lt;b&gt;"))
            #expect(try await browser.user() == nil)
            #expect(try await backend.accounts.users().count == 2)
        }
    }

    @Test func `the first sign-in creates a member with a free name where the owner wants it`() async throws {
        try await withOpenID(.create) { backend, client, provider in
            let (reply, browser) = try await client.browser.signIn(at: provider, as: "9", name: "Ada@example.com")
            #expect(reply.status == 303)
            #expect(try await browser.after(reply).user() == "ada-2")
            let (again, same) = try await client.browser.signIn(at: provider, as: "9", name: "another")
            #expect(try await same.after(again).user() == "ada-2")
            let users = try await backend.accounts.users().map(\.user)
            #expect(users.map(\.username) == ["ada", "ada-2", "root"])
            #expect(users.first { $0.username == "ada-2" }?.role == .member)
            let login = try await client.reply(
                CreateSession(credentials: Credentials(username: "ada-2", password: "password", device: nil)))
            #expect(login.status == 401)
        }
    }

    @Test func `many first sign-ins of one user at once make one account`() async throws {
        try await withOpenID(.create) { backend, client, provider in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await client.browser.signIn(at: provider, as: "10", name: "eve").0.status }
                }
                for try await status in group { #expect(status == 303) }
            }
            #expect(try await backend.accounts.users().map(\.user.username) == ["ada", "eve", "root"])
        }
    }

    @Test func `a state belongs to one browser, once, for ten minutes`() async throws {
        try await withOpenID { backend, client, provider in
            try await backend.accounts.link("ada", issuer: ProviderDouble.issuer, subject: "7")
            func expectRefusal(_ callback: String, _ browser: Browser) async throws {
                let reply = try await browser.open(callback)
                #expect(reply.status == 400 && reply.headers["Set-Cookie"] == nil)
                #expect(reply.text.contains("started in another browser"))
            }
            let (first, owner) = try await client.browser.start(at: provider, as: "7")
            let (_, other) = try await client.browser.start(at: provider, as: "7")
            try await expectRefusal(first, client.browser)
            try await expectRefusal(first, other)
            try await expectRefusal(first.replacing(/state=[^&]+/, with: "state=x"), owner)
            try await expectRefusal(first.replacing(/state=[^&]+/, with: "x=y"), owner)
            // None of these has used it up.
            #expect(try await owner.open(first).status == 303)
            try await expectRefusal(first, owner)
            let (late, slow) = try await client.browser.start(at: provider, as: "7")
            backend.clock.advance(by: .seconds(601))
            try await expectRefusal(late, slow)
        }
    }

    @Test func `a callback that is sent twice at once signs in once`() async throws {
        try await withOpenID { backend, client, provider in
            try await backend.accounts.link("ada", issuer: ProviderDouble.issuer, subject: "7")
            let (callback, browser) = try await client.browser.start(at: provider, as: "7")
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await browser.open(callback).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [303] + Array(repeating: 400, count: 7))
        }
    }

    @Test func `a code of another sign-in is refused`() async throws {
        try await withOpenID { backend, client, provider in
            try await backend.accounts.link("ada", issuer: ProviderDouble.issuer, subject: "7")
            let (stolen, _) = try await client.browser.start(at: provider, as: "7")
            let (own, browser) = try await client.browser.start(at: provider, as: "8")
            let code = try #require(stolen.firstMatch(of: /code=([^&]+)/)).1
            let reply = try await browser.open(own.replacing(/code=[^&]+/, with: "code=\(code)"))
            #expect(reply.status == 403 && reply.headers["Set-Cookie"] == nil)
        }
    }

    @Test(
        arguments: [
            ("error=access_denied", 403), ("error=<script>alert(1)</script>", 403), ("x=y", 403), ("code=", 403),
        ])
    func `what the provider refuses is a page that repeats nothing`(query: String, status: Int) async throws {
        try await withOpenID { _, client, provider in
            let (callback, browser) = try await client.browser.start(at: provider, as: "7")
            let encoded = query.replacing("<", with: "%3C").replacing(">", with: "%3E")
            let reply = try await browser.open(callback.replacing(/code=[^&]+/, with: encoded))
            #expect(reply.status == status && !reply.text.contains("alert(1)"))
            #expect(reply.text.contains("Example did not sign you in"))
        }
    }

    @Test func `a response of another issuer is refused before its code is used`() async throws {
        try await withOpenID { backend, client, provider in
            try await backend.accounts.link("ada", issuer: ProviderDouble.issuer, subject: "7")
            for issuer in ["iss=https%3A%2F%2Fevil.example", "x=y"] {
                let (callback, browser) = try await client.browser.start(at: provider, as: "7")
                #expect(try await browser.open(callback.replacing(/iss=[^&]+/, with: issuer)).status == 403)
            }
        }
    }

    @Test(arguments: [ProviderDouble.response(500, ""), ProviderDouble.response(200, "<h1>Maintenance</h1>")])
    func `a provider that fails is a page that says so`(response: RawResponse) async throws {
        try await withOpenID { _, client, provider in
            provider.fail(with: response)
            let reply = try await client.browser.open("/signin/openid")
            #expect(reply.status == 503 && reply.headers["Location"] == nil)
            #expect(reply.text.contains("Example cannot be used") && !reply.text.contains("Maintenance"))
        }
    }

    @Test(
        arguments: [
            "//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/a\r\nSet-Cookie: x=y",
            "evil", "/ a", "/é", "/\(String(repeating: "a", count: 2000))", "",
        ])
    func `the page after a sign-in is one of this service`(next: String) async throws {
        try await withOpenID { backend, client, provider in
            try await backend.accounts.link("ada", issuer: ProviderDouble.issuer, subject: "7")
            let (reply, _) = try await client.browser.signIn(at: provider, as: "7", next: next)
            #expect(reply.status == 303 && reply.headers["Location"] == "/signin")
            #expect(reply.headers.values("Set-Cookie").count == 1)
        }
    }

    @Test func `without a provider there are no such pages, and no link to them`() async throws {
        try await withAccounts { _, client in
            #expect(try await client.reply("GET", "/signin/openid").status == 404)
            for path in ["/signin", "/device"] {
                let page = try await client.reply("GET", path)
                #expect(!page.text.contains("openid"))
            }
        }
    }

    @Test func `names for new accounts are valid and free of tricks`() throws {
        let names: [(String?, String)] = [
            (nil, "user"), ("", "user"), ("Ada Lovelace", "adalovelace"), ("ada@example.com", "ada"), ("--x", "x"),
            ("..", "user"), ("é", "user"), ("a.b_c-d", "a.b_c-d"),
            (String(repeating: "x", count: 99), String(repeating: "x", count: 48)),
        ]
        for (preferred, name) in names {
            let all = Array(OpenIDNames(preferred))
            #expect(all.first == name && Set(all).count == all.count)
            for name in all {
                #expect(throws: Never.self) { try UserDraft(username: name, role: .member, password: nil).validated() }
                #expect(throws: Never.self) { try acceptNew(username: name) }
            }
        }
    }
}
