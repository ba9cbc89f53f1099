import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService
import Testing

@testable import AccountsService

/// A page with a form that an owner writes. `Docs/Guides/Pages.md` shows its sources.
@Suite struct OwnPageTests {
    /// `GET /watch`: a page for administrators.
    private struct ShowWatch: RoutedEndpoint {
        static let route = Route.get("/watch")
        typealias Response = HTMLPage
        @Query var day: String?
    }

    /// `GET /greeting`: a page that is open to anyone.
    private struct ShowGreeting: RoutedEndpoint {
        static let route = Route.get("/greeting")
        typealias Response = HTMLPage
    }

    private struct Watch: FeatureService {
        var migrations: [StoreMigration] { [] }
        func mount(on routes: inout APIRoutes) {
            routes.page(ShowWatch.self, for: .admins) { call, request, caller in
                guard call.day != "never" else { throw ServiceError.notFound("day", "<never>") }
                let isSame = try request.scope.user() == caller.user
                return HTMLPage(html: "\(caller.user.username) \(caller.user.isAdmin) \(isSame)", styleNonce: "")
            }
            routes.page(ShowGreeting.self) { _, request in
                HTMLPage(html: "for \(try await request.caller()?.user.username ?? "anyone")", styleNonce: "")
            }
        }
    }

    /// A new shift of a user, by the API.
    private static func add(_ title: String, of user: String, _ client: AccountsClient) async throws -> Stored<Shift> {
        let token = try await client.login(user).accessToken
        return try await client.send(CreateEntity(Shift(title: title)), as: .bearer(token))
    }

    private static func title(_ shift: Stored<Shift>, _ backend: AccountsBackend) async throws -> String? {
        try await backend.rows("SELECT title FROM shifts WHERE id = \(shift.id.rawValue)").first?.text("title")
    }

    private static func form(_ shift: Stored<Shift>, _ title: String, token: String?) -> [String: String] {
        var form = ["id": shift.id.rawValue, "version": "\(shift.version)", "title": title]
        form["form_token"] = token
        return form
    }

    @Test func `a browser that is not signed in goes to the login and comes back`() async throws {
        try await withAccounts(beside: [ShiftsService(), Watch()]) { backend, client in
            let shift = try await Self.add("early", of: "ada", client)
            for path in ["/shifts", "/watch?day=a%26b"] {
                let reply = try await client.browser.open(path)
                #expect(reply.status == 303 && reply.text.isEmpty)
                let query: QueryItems = ["next": path]
                #expect(reply.headers["Location"] == "/signin?\(query.encoded)")
            }
            let sent = try await client.browser.send("/shifts", Self.form(shift, "late", token: nil))
            #expect(sent.status == 303 && sent.headers["Location"] == "/signin?next=%2Fshifts")
            #expect(try await Self.title(shift, backend) == "early")
        }
    }

    @Test func `a user sees shifts of their own, and hostile texts are text`() async throws {
        try await withAccounts(beside: [ShiftsService()]) { backend, client in
            let name = "<script>alert(1)</script>"
            try await backend.accounts.createUser(username: "eve", role: .member, password: AccountsBackend.password)
            _ = try await Self.add("\"><script>alert(1)</script>", of: "ada", client)
            _ = try await Self.add("a shift of eve", of: "eve", client)
            let ada = try await client.browser.signedIn("ada")
            let page = try await ada.open("/shifts")
            #expect(page.status == 200 && page.text.contains("Shifts of ada<"))
            #expect(page.text.contains("value=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\""))
            #expect(!page.text.contains("<script") && !page.text.contains("a shift of eve"))
            // The name of the user is read anew for each page.
            try await backend.store.write { transaction in
                _ = try transaction.execute("UPDATE app_user SET username = \(name) WHERE username = 'ada'")
            }
            let renamed = try await ada.open("/shifts")
            #expect(renamed.text.contains("Shifts of &lt;script&gt;") && !renamed.text.contains("<script"))
        }
    }

    @Test func `the form changes the shift of its user`() async throws {
        try await withAccounts(beside: [ShiftsService()]) { backend, client in
            let shift = try await Self.add("early", of: "ada", client)
            let ada = try await client.browser.signedIn("ada")
            let token = try await ada.formToken(on: "/shifts")
            let reply = try await ada.send("/shifts", Self.form(shift, "late", token: token))
            #expect(reply.status == 303 && reply.headers["Location"] == "/shifts")
            #expect(try await ada.open("/shifts").text.contains("value=\"late\""))
            // The page was of the version before, so the form is refused and changes nothing.
            let again = try await ada.send("/shifts", Self.form(shift, "later", token: token))
            #expect(again.status == 412 && again.text.contains("href=\"/shifts\""))
            #expect(try await Self.title(shift, backend) == "late")
        }
    }

    @Test func `a refused form says which field is wrong`() async throws {
        try await withAccounts(beside: [ShiftsService()]) { backend, client in
            let shift = try await Self.add("early", of: "ada", client)
            let ada = try await client.browser.signedIn("ada")
            let token = try await ada.formToken(on: "/shifts")
            let long = String(repeating: "x", count: 201)
            let reply = try await ada.send("/shifts", Self.form(shift, long, token: token))
            #expect(reply.status == 422 && reply.text.contains("title: "))
            #expect(try await Self.title(shift, backend) == "early")
        }
    }

    @Test func `a form without the token of its session changes nothing`() async throws {
        try await withAccounts(beside: [ShiftsService()]) { backend, client in
            let shift = try await Self.add("early", of: "ada", client)
            let ada = try await client.browser.signedIn("ada")
            let own = try await ada.formToken(on: "/shifts")
            let other = try await client.browser.signedIn("ada").formToken()
            for token in [nil, "", "x", other] {
                let reply = try await ada.send("/shifts", Self.form(shift, "late", token: token))
                #expect(reply.status == 403 && reply.text.contains("Open the page anew"))
                #expect(reply.headers["Content-Type"] == "text/html; charset=utf-8")
            }
            var foreign = ada
            foreign.headers = ["Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"]
            #expect(try await foreign.send("/shifts", Self.form(shift, "late", token: own)).status == 403)
            // Without the cookie, which a browser does not send with a form of another site.
            foreign.cookie = nil
            #expect(try await foreign.send("/shifts", Self.form(shift, "late", token: own)).status == 403)
            let twice = "id=\(shift.id.rawValue)&version=\(shift.version)&title=late&form_token=\(own)&form_token=x"
            var headers = ada.headers
            headers["Cookie"] = ada.cookie
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            let repeated = try await client.reply("POST", "/shifts", headers: headers, body: Data(twice.utf8))
            #expect((400..<500).contains(repeated.status))
            #expect(try await Self.title(shift, backend) == "early")
        }
    }

    @Test func `a shift of another user stays as it is`() async throws {
        try await withAccounts(beside: [ShiftsService()]) { backend, client in
            try await backend.accounts.createUser(username: "eve", role: .member, password: AccountsBackend.password)
            _ = try await Self.add("a shift of eve", of: "eve", client)
            let shift = try await Self.add("early", of: "ada", client)
            let eve = try await client.browser.signedIn("eve")
            let token = try await eve.formToken(on: "/shifts")
            let reply = try await eve.send("/shifts", Self.form(shift, "late", token: token))
            #expect(reply.status == 404 && reply.headers["Content-Type"] == "text/html; charset=utf-8")
            #expect(try await Self.title(shift, backend) == "early")
        }
    }

    @Test func `a page for administrators is shown to them only`() async throws {
        try await withAccounts(beside: [Watch()]) { _, client in
            let member = try await client.browser.signedIn("ada").open("/watch")
            #expect(member.status == 403 && member.text.contains("This page is for administrators"))
            let root = try await client.browser.signedIn("root")
            #expect(try await root.open("/watch").text == "root true true")
            let missing = try await root.open("/watch?day=never")
            #expect(missing.status == 404 && missing.text.contains("&lt;never&gt;") && !missing.text.contains("<never"))
        }
    }

    @Test func `an open page knows who is signed in, and a bearer token is nobody there`() async throws {
        try await withAccounts(beside: [Watch()]) { _, client in
            let stranger = try await client.browser.open("/greeting")
            #expect(stranger.text == "for anyone")
            #expect(try await client.browser.signedIn("ada").open("/greeting").text == "for ada")
            #expect(try await client.reply("GET", "/greeting", as: client.admin()).text == "for anyone")
            #expect(try await client.reply("GET", "/watch", as: client.admin()).status == 303)
        }
    }
}
