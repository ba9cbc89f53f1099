import AccountsAPI
import AccountsDomain
import StrataDomain
import StrataService
import Testing

@testable import AccountsService

/// What a session of a browser may do on `/device`, and what an operator does with links.
@Suite struct OpenIDDeviceTests {
    @Test func `a user without a password logs a device in`() async throws {
        try await withOpenID(.create, allowsSignIn: false) { _, client, provider in
            let codes = try await client.deviceCodes()
            let page = try await client.browser.open("/device?user_code=\(codes.userCode)")
            #expect(!page.text.contains("name=\"password\"") && page.text.contains("Sign in with Example"))
            let link = try #require(page.text.firstMatch(of: /href="\/signin\/openid\?next=([^"]+)"/)).1
            let next = try #require(PercentEncoding.decode(link))
            let (reply, browser) = try await client.browser.signIn(at: provider, as: "7", name: "grace", next: next)
            let path = try #require(reply.headers["Location"])
            #expect(path == "/device?user_code=\(codes.userCode)")
            let own = try browser.after(reply)
            let form = try await own.open(path)
            #expect(form.text.contains("as <strong>grace</strong>"))
            #expect(form.text.contains("value=\"\(codes.userCode)\""))
            let token = try await own.formToken(on: path)
            let question = try await own.send("/device", ["user_code": codes.userCode, "form_token": token])
            let ticket = try #require(question.ticket)
            let end = try await own.send("/device", ["ticket": ticket, "decision": "allow"])
            #expect(end.text.contains("The device is logged in"))
            let tokens = try await client.send(RefreshSession(grant: TokenGrant(deviceCode: codes.deviceCode)))
            #expect(try await client.send(GetMe(), as: .bearer(tokens.accessToken)).username == "grace")
        }
    }

    @Test func `a session decides nothing without the token of its forms`() async throws {
        try await withAccounts { _, client in
            let codes = try await client.deviceCodes()
            let browser = try await client.browser.signedIn()
            let token = try await browser.formToken()
            for wrong in ["", "x", token + "A"] {
                let reply = try await browser.send("/device", ["user_code": codes.userCode, "form_token": wrong])
                #expect(reply.status == 403 && reply.ticket == nil)
            }
            var foreign = browser
            foreign.headers = ["Sec-Fetch-Site": "cross-site"]
            let fields = ["user_code": codes.userCode, "form_token": token]
            #expect(try await foreign.send("/device", fields).status == 403)
            let stranger = try await client.browser.send("/device", fields)
            #expect(stranger.ticket == nil && stranger.text.contains("not signed in any more"))
            #expect(try await browser.send("/device", fields).ticket != nil)
            #expect(try await client.pollError(codes) == "authorization_pending")
        }
    }

    @Test func `guesses of a session are counted as those with a password`() async throws {
        try await withAccounts { _, client in
            let browser = try await client.browser.signedIn()
            let token = try await browser.formToken()
            for _ in 0..<10 {
                let reply = try await browser.send("/device", ["user_code": "BCDF-GHJK", "form_token": token])
                #expect(reply.text.contains("No device waits with this code."))
            }
            let own = try await client.deviceCodes()
            let reply = try await browser.send("/device", ["user_code": own.userCode, "form_token": token])
            #expect(reply.ticket == nil && reply.text.contains("Too many logins failed"))
        }
    }

    @Test func `a link names one account, and unlinking ends its sessions`() async throws {
        try await withOpenID { backend, client, provider in
            let (accounts, issuer) = (backend.accounts, ProviderDouble.issuer)
            try await accounts.link("ada", issuer: issuer, subject: "7")
            try await accounts.link("ada", issuer: issuer, subject: "7")
            try await accounts.link("ada", issuer: issuer, subject: "8")
            let taken = await #expect(throws: ServiceError.self) {
                try await accounts.link("root", issuer: issuer, subject: "7")
            }
            #expect(taken?.problem.code == "subject_taken")
            let unknown = await #expect(throws: ServiceError.self) {
                try await accounts.link("eve", issuer: issuer, subject: "9")
            }
            #expect(unknown?.problem.status == 404)
            await #expect(throws: ServiceError.self) { try await accounts.link("ada", issuer: issuer, subject: "") }
            let (reply, browser) = try await client.browser.signIn(at: provider, as: "8")
            let own = try browser.after(reply)
            #expect(try await own.user() == "ada")
            #expect(try await accounts.unlink("ada") == 2)
            #expect(try await own.user() == nil)
            #expect(try await client.browser.signIn(at: provider, as: "8").0.status == 403)
        }
    }

    @Test func `a deleted account leaves no link, and its user may get a new one`() async throws {
        try await withOpenID(.create) { backend, client, provider in
            #expect(try await client.browser.signIn(at: provider, as: "7", name: "grace").0.status == 303)
            try await backend.accounts.deleteUser("grace")
            #expect(try await backend.rows("SELECT subject FROM openid_link").isEmpty)
            #expect(try await client.browser.signIn(at: provider, as: "7", name: "grace").0.status == 303)
        }
    }
}
