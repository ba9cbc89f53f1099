import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

/// The page of administration: who may open it, what it lists, and what its buttons do.
@Suite struct AdminPageTests {
    private struct Tides: AdministeredTable {
        let name = "tides"
        func administered(
            after cursor: String?, for caller: Principal, in store: any StoreReader
        ) throws -> AdministeredRows {
            if cursor == "dead" {
                throw ServiceError(400, code: "invalid_cursor", title: "Unusable cursor", detail: "Start again.")
            }
            let rows =
                cursor == nil ? [[#"<script>alert(1)</script>"#, "a\u{0}b"], ["\u{202E}x", long]] : [["last", ""]]
            return AdministeredRows(
                columns: ["id", "<b>"], rows: rows, nextCursor: cursor == nil ? "c&d" : nil)
        }
        private var long: String { "e" + String(repeating: "\u{301}", count: 10_240) }
    }

    private static let administration = Administration(
        tables: [Tides()], settings: [.init(name: "SHIFTLOG_RATE_USER", value: "5,1", meaning: "3000,300; <writes>")])

    private static let views = [
        "/admin", "/admin?view=users&page=2", "/admin?view=sessions&user=x", "/admin?view=jobs&state=failed",
        "/admin?view=settings", "/admin?view=table&table=tides",
    ]

    @Test func `a browser without a session signs in first and comes back`() async throws {
        try await withAccounts(administration: Self.administration) { _, client in
            for path in Self.views {
                let reply = try await client.browser.open(path)
                #expect(reply.status == 303 && !reply.text.contains("ada"))
                let place = try #require(reply.headers["Location"])
                let next = try #require(
                    try await client.browser.open(place).text.firstMatch(of: /next" value="([^"]*)"/))
                #expect(next.1.replacing("&amp;", with: "&") == path)
            }
            let reply = try await client.browser.send("/admin", ["action": "end_sessions", "id": "x"])
            #expect(reply.status == 303 && reply.headers["Location"] == "/signin?next=%2Fadmin")
        }
    }

    @Test func `a member sees nothing and does nothing`() async throws {
        try await withAccounts(administration: Self.administration) { backend, client in
            let member = try await client.browser.signedIn("ada")
            for path in Self.views {
                let reply = try await member.open(path)
                #expect(reply.status == 403 && !reply.text.contains(">root<") && !reply.text.contains("<table"))
            }
            let root = try await client.browser.signedIn("root")
            let id = try await Self.id(of: "root", backend)
            let form = ["action": "end_sessions", "id": id, "form_token": try await member.formToken()]
            #expect(try await member.send("/admin", form).status == 403)
            #expect(try await root.user() == "root")
        }
    }

    @Test func `an administrator who becomes a member loses the page at once`() async throws {
        try await withAccounts { backend, client in
            try await backend.accounts.createUser(username: "eve", role: .admin, password: AccountsBackend.password)
            let eve = try await client.browser.signedIn("eve")
            #expect(try await eve.open("/admin").status == 200)
            let id = User.ID(try await Self.id(of: "eve", backend))
            let draft = UserDraft(username: "eve", role: .member, password: nil)
            _ = try await client.send(UpdateUser(id: id, draft: draft), as: client.admin())
            #expect(try await eve.open("/admin").status == 403)
        }
    }

    @Test func `users are listed in pages, and hostile names are text`() async throws {
        try await withAccounts { backend, client in
            let names = [
                "\"><script>alert(1)</script>", "\u{202E}nimda", "{{token}}", String(repeating: "é", count: 10_240),
            ]
            try await backend.store.write { transaction in
                for (number, name) in (names + (0..<60).map { "user \($0 + 100)" }).enumerated() {
                    try transaction.execute(
                        """
                        INSERT INTO app_user (id, username, role, password_hash, created_at, updated_at)
                        VALUES (\("u\(number)"), \(name), 'member', 'x', 1, 1)
                        """)
                }
            }
            let root = try await client.browser.signedIn("root")
            let first = try await root.open("/admin")
            let second = try await root.open("/admin?view=users&page=2")
            for page in [first, second] {
                #expect(page.status == 200 && page.body.count < 200_000)
                #expect(!page.text.contains("<script") && !page.text.contains("\u{202E}"))
                #expect(page.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
            }
            #expect(second.text.contains("{{token}}") && first.text.contains("66 in all"))
            #expect(first.text.contains("href=\"/admin?view=users&amp;page=2\""))
            #expect(!second.text.contains("rel=\"next\"") && !second.text.contains(String(repeating: "é", count: 201)))
            #expect(first.text.ranges(of: "<tr>").count == 51 && second.text.ranges(of: "<tr>").count == 17)
        }
    }

    @Test func `sessions of a user end one by one or all together`() async throws {
        try await withAccounts { backend, client in
            let root = try await client.browser.signedIn("root")
            let id = try await Self.id(of: "ada", backend)
            let one = try await client.browser.signedIn("ada")
            let token = try await client.login("ada", device: "laptop <b>")
            let path = "/admin?view=sessions&user=\(id)"
            let page = try await root.open(path)
            #expect(page.text.contains("Sessions of ada") && page.text.contains("laptop &lt;b&gt;"))
            let rows = page.text.matches(of: /name="id" value="([^"]+)"/)
            #expect(rows.count == 2)
            let formToken = try await root.formToken()
            let sessions = try await client.send(ListSessions(), as: .bearer(token.accessToken)).items
            let browser = try #require(sessions.first { $0.device == "browser" })
            let form = ["action": "end_session", "id": browser.id.rawValue, "form_token": formToken, "next": path]
            let reply = try await root.send("/admin", form)
            #expect(reply.status == 303 && reply.headers["Location"] == "\(path)&done=end_session")
            #expect(try await one.user() == nil)
            _ = try await client.send(GetMe(), as: .bearer(token.accessToken))
            _ = try await root.send("/admin", ["action": "end_sessions", "id": id, "form_token": formToken])
            #expect(try await client.refusal(of: GetMe(), as: .bearer(token.accessToken)).status == 401)
            let gone = try await root.send("/admin", ["action": "end_sessions", "id": "x", "form_token": formToken])
            #expect(gone.status == 404 && gone.text.contains("There is no user"))
            #expect(gone.text.contains("<a href=\"/admin\">Back</a>"))
        }
    }

    @Test func `a job that was set aside is repeated or discarded`() async throws {
        try await withAccounts { backend, client in
            try await backend.store.write { transaction in
                for (id, state) in [("j1", "failed"), ("j2", "failed"), ("j3", "running")] {
                    try transaction.execute(
                        """
                        INSERT INTO service_job (id, kind, seq, state, payload, enqueued_at, due_at, attempt, failures, beat, error)
                        VALUES (\(id), 'mail', 1, \(state), '{"secret":1}', 1, 1, 3, 3, 0, '<i>refused')
                        """)
                }
            }
            let root = try await client.browser.signedIn("root")
            let page = try await root.open("/admin?view=jobs")
            #expect(page.text.contains("&lt;i&gt;refused") && page.text.contains("3 of 3"))
            #expect(!page.text.contains("secret") && page.text.matches(of: /value="retry_job"/).count == 2)
            #expect(try await root.open("/admin?view=jobs&state=running").text.contains("mail"))
            let token = try await root.formToken()
            for (action, id, sentence) in [
                ("retry_job", "j1", "The job will run again."), ("discard_job", "j2", "The job was discarded."),
            ] {
                let form = ["action": action, "id": id, "form_token": token, "next": "/admin?view=jobs"]
                let place = try #require(try await root.send("/admin", form).headers["Location"])
                let page = try await root.open(place)
                #expect(place == "/admin?view=jobs&done=\(action)")
                #expect(page.status == 200 && page.text.contains("<p role=\"status\">\(sentence)</p>"))
            }
            let left = try await backend.rows("SELECT id, state FROM service_job ORDER BY id")
            #expect(try left.map { try "\($0.text("id")) \($0.text("state"))" } == ["j1 ready", "j3 running"])
            let running = try await root.send("/admin", ["action": "discard_job", "id": "j3", "form_token": token])
            #expect(running.status == 409 && running.text.contains("runs now"))
        }
    }

    @Test func `a button is taken with the token of its session from this service only`() async throws {
        try await withAccounts { backend, client in
            let root = try await client.browser.signedIn("root")
            let other = try await client.browser.signedIn("root")
            let victim = try await client.browser.signedIn("ada")
            let form = ["action": "end_sessions", "id": try await Self.id(of: "ada", backend)]
            for token in [nil, "", try await other.formToken(), try await victim.formToken()] {
                var form = form
                form["form_token"] = token
                #expect(try await root.send("/admin", form).status == 403)
            }
            var full = form
            full["form_token"] = try await root.formToken()
            var foreign = root
            foreign.headers = ["Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"]
            #expect(try await foreign.send("/admin", full).status == 403)
            #expect(try await root.open("/admin?action=end_sessions&id=\(full["id"] ?? "")").status == 200)
            #expect(try await victim.user() == "ada")
            full["next"] = "//evil.example"
            #expect(try await root.send("/admin", full).headers["Location"] == "/admin?done=end_sessions")
            #expect(try await victim.user() == nil)
        }
    }

    @Test func `tables and settings are shown as text that is cut off`() async throws {
        try await withAccounts(administration: Self.administration) { _, client in
            let root = try await client.browser.signedIn("root")
            let first = try await root.open("/admin?view=table&table=tides")
            #expect(first.text.contains("<h1>tides</h1>") && first.text.contains("&lt;script&gt;alert(1)"))
            #expect(
                !first.text.contains("<script") && !first.text.contains("\u{0}") && first.text.contains("&lt;b&gt;"))
            #expect(first.body.count < 20_000)
            let next = try #require(first.text.firstMatch(of: /href="([^"]+)" rel="next"/)).1
            let second = try await root.open(String(next).replacing("&amp;", with: "&"))
            #expect(second.text.contains("last") && !second.text.contains("rel=\"next\""))
            let settings = try await root.open("/admin?view=settings")
            #expect(settings.text.contains("SHIFTLOG_RATE_USER") && settings.text.contains("&lt;writes&gt;"))
        }
    }

    @Test func `the page says what was done by a fixed code, and to no link of another site`() async throws {
        try await withAccounts { backend, client in
            let root = try await client.browser.signedIn("root")
            let page = try await root.open(
                "/admin?view=sessions&user=\(Self.id(of: "root", backend))&done=end_sessions")
            #expect(page.text.contains("<p role=\"status\">Every session of the user has ended.</p>"))
            // The next button says what it did itself.
            #expect(page.text.contains("name=\"next\" value=\"/admin?") && !page.text.contains("done="))
            for code in ["", "x", "Call%20555", "End_sessions", "end_sessions%20"] {
                let page = try await root.open("/admin?done=\(code)")
                #expect(page.status == 200 && !page.text.contains("role=\"status\"") && !page.text.contains("Call"))
            }
            var foreign = root
            foreign.headers = ["Sec-Fetch-Site": "cross-site"]
            let linked = try await foreign.open("/admin?done=end_sessions")
            #expect(linked.status == 200 && !linked.text.contains("role=\"status\""))
        }
    }

    @Test func `an address that names nothing is answered with a page that leads back`() async throws {
        try await withAccounts(administration: Self.administration) { _, client in
            let root = try await client.browser.signedIn("root")
            let member = try await client.browser.signedIn("ada")
            for (query, status) in [
                ("view=sessions&user=%3Cb%3E5550199", 404), ("view=sessions", 404), ("view=table&table=app_user", 404),
                ("view=table&table=tides&cursor=dead", 400), ("view=%3Cb%3E5550199", 404), ("view=", 404),
                ("page=%3Cb%3E5550199", 404), ("page=99999999999999999999", 404),
            ] {
                let page = try await root.open("/admin?\(query)")
                #expect(page.status == status, "\(query)")
                #expect(page.headers["Content-Type"] == "text/html; charset=utf-8", "\(query)")
                #expect(page.text.contains("<h1>Not shown</h1>") && page.text.contains("role=\"alert\""), "\(query)")
                #expect(page.text.contains("<a href=\"/admin\">Back</a>"), "\(query)")
                // What the address says is not repeated, so a link cannot put words there.
                #expect(!page.text.contains("5550199"), "\(query)")
                #expect(try await member.open("/admin?\(query)").status == 403, "\(query)")
                #expect(try await client.browser.open("/admin?\(query)").status == 303, "\(query)")
            }
            #expect(try await root.open("/admin?page=0").status == 200)
        }
    }

    private static func id(of username: String, _ backend: AccountsBackend) async throws -> String {
        let rows = try await backend.rows("SELECT id FROM app_user WHERE username = \(username)")
        return try #require(rows.first).text("id")
    }
}
