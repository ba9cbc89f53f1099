import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

@Suite struct PasswordResetPageTests {
    /// The token of a new mail to `ada`.
    private func token(_ backend: AccountsBackend) async throws -> String {
        let box = MailBox()
        try await backend.setAddress("ada@example.org")
        try await backend.accounts.requestReset(of: "ada", backend.scope())
        try await backend.sendMails(to: box)
        return try #require(box.token)
    }

    @Test func `a mailed link sets the password once, and ends every session of its user`() async throws {
        try await withAccounts { backend, client in
            let (session, other) = (try await client.login(), try await client.admin())
            let token = try await token(backend)
            let page = try await client.resetPage(token)
            #expect(page.status == 200 && page.text.contains("The new password is set"))
            #expect(page.text.contains("<a href=\"/signin\">Sign in</a>"))
            #expect(try await client.refusal(of: GetMe(), as: .bearer(session.accessToken)).status == 401)
            let refresh = RefreshSession(grant: TokenGrant(refreshToken: session.refreshToken))
            #expect(try await client.refusal(of: refresh).problem.error == "invalid_grant")
            #expect(try await client.send(GetMe(), as: other).username == "root")
            _ = try await client.login("ada", Secret("a newer password"))
            #expect(try await client.resetPage(token, "another password").text.contains("This link cannot be used"))
            _ = try await client.login("ada", Secret("a newer password"))
        }
    }

    @Test func `opening a link changes nothing, and its token leaves with no request`() async throws {
        try await withAccounts { backend, client in
            let token = try await token(backend)
            for _ in 0..<5 {
                let page = try await client.reply("GET", "/password-reset?token=\(token)")
                #expect(page.status == 200 && page.text.contains("name=\"token\" value=\"\(token)\""))
                // A password manager stores the new password under it.
                #expect(page.text.contains("value=\"ada\" readonly autocomplete=\"username\""))
                #expect(page.headers["Referrer-Policy"] == "no-referrer")
                #expect(page.headers["Cache-Control"] == "no-store")
                let policy = page.headers["Content-Security-Policy"] ?? ""
                #expect(policy.contains("default-src 'none'") && policy.contains("form-action 'self'"))
                for text in ["http:", "https:", "src=", "<script", "<link", "{{"] { #expect(!page.text.contains(text)) }
            }
            _ = try await client.login()
            #expect(try await client.resetPage(token).text.contains("The new password is set"))
        }
    }

    @Test func `an expired, a used, a replaced and a wrong link are told apart by nothing`() async throws {
        try await withAccounts { backend, client in
            let expired = try await token(backend)
            backend.clock.advance(by: .seconds(1799))
            #expect(try await client.reply("GET", "/password-reset?token=\(expired)").text.contains("Choose a new"))
            backend.clock.advance(by: .seconds(1))
            var dead = [
                expired, "", "x", "slp_" + String(repeating: "A", count: 43), String(repeating: "x", count: 5000),
            ]
            let replaced = try await token(backend)
            let used = try await token(backend)
            _ = try await client.resetPage(used)
            dead += [replaced, used]
            var pages: Set<String> = []
            for token in dead {
                let shown = try await client.reply("GET", "/password-reset?token=\(token)")
                // Also with passwords that would be refused.
                let sent = [try await client.resetPage(token), try await client.resetPage(token, "x", repeated: "y")]
                for page in [shown] + sent {
                    #expect(page.status == 200)
                    pages.insert(page.text.replacing(/nonce="[^"]+"/, with: ""))
                }
            }
            #expect(pages.count == 1)
            #expect(pages.first?.contains("Ask for another one here.") == true)
            #expect(pages.first?.contains("name=\"username\"") == true)
            #expect(pages.first?.contains("ada") == false)
        }
    }

    @Test func `of two forms at once with one link, one sets the password`() async throws {
        try await withAccounts { backend, client in
            let token = try await token(backend)
            let passwords = ["the first password", "the second password"]
            let set = try await withThrowingTaskGroup(of: String?.self) { group in
                for password in passwords {
                    group.addTask {
                        let page = try await client.resetPage(token, password)
                        return page.text.contains("The new password is set") ? password : nil
                    }
                }
                return try await group.reduce(into: [String]()) { if let password = $1 { $0.append(password) } }
            }
            #expect(set.count == 1)
            _ = try await client.login("ada", Secret(try #require(set.first)))
        }
    }

    @Test func `a form that a user can mend keeps the link`() async throws {
        try await withAccounts { backend, client in
            let token = try await token(backend)
            for (password, repeated, text) in [
                ("a newer password", "a never password", "The two passwords differ"),
                ("short", "short", "The password must have 8 to 1024 bytes."),
            ] {
                let page = try await client.resetPage(token, password, repeated: repeated)
                #expect(page.status == 200 && page.text.contains(text) && !page.text.contains("value=\"\(password)"))
                #expect(page.text.contains("value=\"\(token)\"") && page.text.contains("value=\"ada\""))
            }
            _ = try await client.login()
            #expect(try await client.resetPage(token).text.contains("The new password is set"))
        }
    }

    @Test func `a change of the account voids a link that was mailed before`() async throws {
        try await withAccounts { backend, client in
            var token = try await token(backend)
            try await backend.accounts.setPassword(of: "ada", to: AccountsBackend.password)
            #expect(try await client.resetPage(token).text.contains("This link cannot be used"))

            token = try await self.token(backend)
            let admin = try await client.admin()
            let ada = try #require(try await client.send(ListUsers(), as: admin).users.first { $0.username == "ada" })
            let draft = UserDraft(username: "ada", role: .member, password: nil, email: "new@example.org")
            _ = try await client.send(UpdateUser(id: ada.id, draft: draft), as: admin)
            #expect(try await client.resetPage(token).text.contains("This link cannot be used"))

            token = try await self.token(backend)
            try await backend.accounts.deleteUser("ada")
            #expect(try await client.resetPage(token).text.contains("This link cannot be used"))
        }
    }

    @Test func `a user without a link asks for one on the page, and learns nothing of accounts`() async throws {
        try await withAccounts { backend, client in
            try await backend.setAddress("ada@example.org")
            #expect(try await client.reply("GET", "/password-reset").text.contains("name=\"username\""))
            func asked(_ name: String) async throws -> String {
                let form = "username=\(name)"
                let page = try await client.post("/password-reset", form, type: "application/x-www-form-urlencoded")
                #expect(page.status == 200)
                return page.text.replacing(/nonce="[^"]+"/, with: "")
            }
            let pages = Set([try await asked("ada"), try await asked("root"), try await asked("%22%3E%3Cscript")])
            #expect(pages.count == 1 && pages.first?.contains("a mail with a link is under way") == true)
            let box = MailBox()
            try await backend.sendMails(to: box)
            #expect(box.mails.count == 1)
            for number in 3..<30 { _ = try await asked("name\(number)") }
            #expect(
                try await asked("ada").contains("Too many resets were asked for from this address; wait 3600 seconds"))
        }
    }

    @Test func `a token and a name in a form are text on the page`() async throws {
        let form = DevicePage.newPassword(token: "\"\u{301}><script>", username: "\"\u{301}><b>", error: "<b>")
        let page = try DevicePage.template.page(form.values, of: "s", style: .standard, status: 200)
        #expect(!page.html.contains("<script") && !page.html.contains("<b>"))
    }
}
