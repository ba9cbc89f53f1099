import AccountsAPI
import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

/// The user's side of RFC 8628, and what its section 5 asks of it.
@Suite struct DevicePageTests {
    @Test func `the page runs no script, loads nothing, and cannot be framed`() async throws {
        try await withAccounts { _, client in
            let codes = try await client.deviceCodes()
            let pages = [
                try await client.reply("GET", "/device"), try await client.question(codes.userCode),
                try await client.decide(codes, "refuse"), try await client.page(["ticket": "x", "decision": "allow"]),
            ]
            for page in pages {
                #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
                #expect(page.headers["X-Frame-Options"] == "DENY")
                #expect(page.headers["Cache-Control"] == "no-store")
                #expect(page.headers["Referrer-Policy"] == "same-origin")
                let policy = page.headers["Content-Security-Policy"] ?? ""
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                #expect(policy.contains("form-action 'self'"))
                let nonce = try #require(page.text.firstMatch(of: /<style nonce="([^"]+)">/)).1
                #expect(policy.contains("'nonce-\(nonce)'"))
                #expect(!page.text.contains("<script") && !page.text.contains("src=") && !page.text.contains("{{"))
            }
        }
    }

    @Test func `a link fills the code in and does nothing else`() async throws {
        try await withAccounts { backend, client in
            let codes = try await client.deviceCodes(device: "build host")
            let page = try await client.reply("GET", "/device?user_code=\(codes.userCode)")
            #expect(page.status == 200 && page.text.contains("value=\"\(codes.userCode)\""))
            // Without a login it does not tell which device waits.
            #expect(!page.text.contains("build host") && page.ticket == nil)
            #expect(try await client.pollError(codes) == "authorization_pending")
        }
    }

    @Test func `the question names the code, the device, its address, the time and the account`() async throws {
        try await withAccounts { backend, client in
            let codes = try await client.send(AuthorizeDevice(request: DeviceRequest(deviceName: "build host")))
            let typed = codes.userCode.lowercased().replacing("-", with: " ")
            let page = try await client.question(typed)
            #expect(page.status == 200)
            let time = RFC3339.string(from: backend.clock.now)
            for text in [String(codes.userCode.prefix(4)), "build host", "ada", time] {
                #expect(page.text.contains(text), "\(text)")
            }
            #expect(page.text.contains("Address") && page.text.contains("started this login yourself"))
            #expect(try await client.pollError(codes) == "authorization_pending")
        }
    }

    @Test func `a wrong password and an unknown name are told apart by nothing, and show no device`() async throws {
        try await withAccounts { _, client in
            let codes = try await client.deviceCodes(device: "build host")
            let wrong = try await client.question(codes.userCode, password: Secret("wrong"))
            let unknown = try await client.question(codes.userCode, username: "eve", password: Secret("wrong"))
            for page in [wrong, unknown] {
                #expect(page.status == 200)
                #expect(page.text.contains("The username or the password is wrong."))
                #expect(
                    !page.text.contains("build host") && page.ticket == nil && !page.text.contains("value=\"wrong\""))
            }
        }
    }

    @Test func `a wrong, an expired and a decided code are told apart by nothing`() async throws {
        try await withAccounts { backend, client in
            let expired = try await client.deviceCodes()
            backend.clock.advance(by: .seconds(601))
            let decided = try await client.deviceCodes()
            _ = try await client.decide(decided, "refuse")
            for code in ["", "BCDF-GHJK", "AEIO-UAEI", expired.userCode, decided.userCode] {
                let page = try await client.question(code)
                #expect(page.status == 200 && page.ticket == nil)
                #expect(page.text.contains("No device waits with this code."))
            }
        }
    }

    @Test func `ten guesses of a code lock its guesser out, also with a right code between them`() async throws {
        try await withAccounts { _, client in
            let own = try await client.deviceCodes()
            for number in 0..<10 {
                if number == 5 { #expect(try await client.question(own.userCode).ticket != nil) }
                let page = try await client.question("BCDF-GHJK")
                #expect(page.text.contains("No device waits with this code."))
            }
            let page = try await client.question(own.userCode)
            #expect(page.text.contains("Too many logins failed") && page.ticket == nil)
            // Another user is not locked out.
            #expect(try await client.question(own.userCode, username: "root").ticket != nil)
        }
    }

    @Test func `a hundred guesses of a code at once learn ten results`() async throws {
        try await withAccounts { _, client in
            let learnt = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        try await client.question("BCDF-GHJK").text.contains("No device waits with this code.")
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(learnt == 10)
        }
    }

    @Test func `without an account no code can be guessed`() async throws {
        try await withAccounts { _, client in
            for _ in 0..<10 {
                let wrong = try await client.question("BCDF-GHJK", password: Secret("wrong"))
                #expect(wrong.text.contains("The username or the password is wrong."))
            }
            let right = try await client.question("BCDF-GHJK")
            #expect(right.text.contains("Too many logins failed") && right.ticket == nil)
        }
    }

    @Test(arguments: ["cross-site", "same-site"])
    func `a form that another site sends is refused before it is read`(site: String) async throws {
        try await withAccounts { _, client in
            let codes = try await client.deviceCodes()
            let fields = ["user_code": codes.userCode, "username": "ada", "password": "a good password"]
            let page = try await client.page(fields, from: site)
            #expect(page.status == 403 && page.ticket == nil)
            let ticket = try #require(try await client.question(codes.userCode).ticket)
            #expect(try await client.page(["ticket": ticket, "decision": "allow"], from: site).status == 403)
            #expect(try await client.pollError(codes) == "authorization_pending")
        }
    }

    @Test func `without the ticket of the question nothing is decided`() async throws {
        try await withAccounts { _, client in
            let codes = try await client.deviceCodes()
            _ = try await client.question(codes.userCode)
            for ticket in ["", "sldt_unknown", codes.deviceCode, codes.userCode] {
                let page = try await client.page(["ticket": ticket, "decision": "allow"])
                #expect(page.text.contains("Too late"))
            }
            #expect(try await client.pollError(codes) == "authorization_pending")
        }
    }

    @Test func `a ticket decides once, and a repeated form shows what was decided`() async throws {
        try await withAccounts { _, client in
            let codes = try await client.deviceCodes()
            let ticket = try #require(try await client.question(codes.userCode).ticket)
            #expect(try await client.page(["ticket": ticket]).text.contains("Nothing was changed"))
            #expect(try await client.page(["ticket": ticket, "decision": "refuse"]).text.contains("Refused"))
            let again = try await client.page(["ticket": ticket, "decision": "allow"])
            #expect(again.text.contains("Refused"))
            #expect(try await client.pollError(codes) == "access_denied")
        }
    }

    @Test func `a new question for a code voids the ticket of the old one`() async throws {
        try await withAccounts { _, client in
            let codes = try await client.deviceCodes()
            let old = try #require(try await client.question(codes.userCode).ticket)
            _ = try await client.question(codes.userCode, username: "root")
            #expect(try await client.page(["ticket": old, "decision": "allow"]).text.contains("Too late"))
            #expect(try await client.pollError(codes) == "authorization_pending")
        }
    }

    @Test func `hostile names are text on the page`() async throws {
        try await withAccounts { _, client in
            let name = #"<script>alert(1)</script>"{{ticket}}'&"# + "\"\u{301}onfocus=x"
            let codes = try await client.deviceCodes(device: name)
            let page = try await client.question(codes.userCode)
            #expect(
                page.text.contains(
                    "&lt;script&gt;alert(1)&lt;/script&gt;&quot;{{ticket}}&#39;&amp;&quot;\u{301}onfocus=x"))
            #expect(!page.text.contains("<script"))
            let form = try await client.question(
                "\"\u{301}><b>", username: "\"\u{301}onfocus=x", password: Secret("wrong"))
            #expect(!form.text.contains("<b>") && form.text.contains("value=\"&quot;\u{301}onfocus=x\""))
        }
    }
}
