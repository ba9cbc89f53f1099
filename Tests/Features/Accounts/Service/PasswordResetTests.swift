import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

/// What a request for a reset does, and its mail. The page is in `PasswordResetPageTests`.
@Suite struct PasswordResetTests {
    private static let address = "ada@example.org"

    @Test func `a name with an address, one without, and no account get the same answer and the same job`() async throws
    {
        try await withAccounts { backend, client in
            try await backend.setAddress(Self.address)
            var answers: Set<String> = []
            // Of root, which has no address; of names that no account has or can have; and of ada again, beyond the limit.
            for name in ["ada", "root", "nobody", "", "' OR 1=1 --", String(repeating: "n", count: 5000)] {
                let before = try await backend.rows("SELECT id FROM service_job").count
                let reply = try await client.reply(name)
                answers.insert(reply.fingerprint)
                #expect(reply.status == 202 && reply.body.isEmpty)
                #expect(try await backend.rows("SELECT id FROM service_job").count == before + 1, "\(name)")
            }
            for _ in 0..<3 { answers.insert(try await client.reply("ada").fingerprint) }
            #expect(answers.count == 1)
            #expect(!backend.log.lines.contains { $0.contains("nobody") || $0.contains("OR 1=1") })

            let box = MailBox()
            try await backend.sendMails(to: box)
            #expect(box.mails.map(\.message.to.first?.description) == [Self.address, Self.address, Self.address])
            #expect(try await backend.rows("SELECT id FROM service_job").isEmpty)
        }
    }

    @Test func `a user gets three mails in an hour, from whatever addresses they are asked for`() async throws {
        try await withAccounts { backend, client in
            try await backend.setAddress(Self.address)
            let box = MailBox()
            for number in 0..<10 {
                try await backend.accounts.requestReset(of: "ada", backend.scope(peer: "192.0.2.\(number)"))
            }
            try await backend.sendMails(to: box)
            #expect(box.mails.count == 3)
            backend.clock.advance(by: .seconds(3600))
            try await backend.accounts.requestReset(of: "ada", backend.scope())
            try await backend.sendMails(to: box)
            #expect(box.mails.count == 4)
        }
    }

    @Test func `a client asks for thirty resets in an hour, and the next must wait, whatever the name`() async throws {
        try await withAccounts { backend, client in
            for number in 0..<30 { #expect(try await client.reply("name\(number)").status == 202) }
            for name in ["ada", "nobody"] {
                let refusal = try await client.refusal(
                    of: RequestPasswordReset(request: PasswordResetRequest(username: name)))
                #expect(refusal.status == 429 && refusal.problem.code == "too_many_password_resets")
                #expect(refusal.headers["Retry-After"] == "3600")
            }
            try await backend.accounts.requestReset(of: "ada", backend.scope(peer: "198.51.100.7"))
            // Maintenance deletes no count of an hour that lasts.
            try await backend.accounts.maintain(backend.store, at: backend.clock.now)
            #expect(try await client.reply("ada").status == 429)
            backend.clock.advance(by: .seconds(3600))
            #expect(try await client.reply("ada").status == 202)
        }
    }

    @Test func `neither queue, tables nor log hold the token or the address of a mail`() async throws {
        try await withAccounts { backend, client in
            try await backend.setAddress(Self.address)
            _ = try await client.reply("ada")
            let queued = try await backend.rows("SELECT * FROM service_job")
            #expect(queued.count == 1 && !String(reflecting: queued).contains("example.org"))
            let box = MailBox()
            box.setBroken(true)
            try await backend.sendMails(to: box)
            let token = try #require(box.token)
            _ = try await client.reply("GET", "/password-reset?token=\(token)")
            #expect(try await client.resetPage(token).text.contains("The new password is set"))
            var kept = backend.log.lines.joined(separator: "\n") + backend.metrics.text()
            for table in ["service_job", "password_reset", "login_failure"] {
                kept += String(reflecting: try await backend.rows(Statement(stringLiteral: "SELECT * FROM \(table)")))
            }
            #expect(kept.contains("The answer was lost."))
            for secret in [token, String(token.dropFirst(4)), Self.address] { #expect(!kept.contains(secret)) }
        }
    }

    @Test func `a mail whose outcome is unknown is sent again with another link, which voids the first`() async throws {
        try await withAccounts { backend, client in
            try await backend.setAddress(Self.address)
            _ = try await client.reply("ada")
            let box = MailBox()
            box.setBroken(true)
            try await backend.sendMails(to: box)
            box.setBroken(false)
            backend.clock.advance(by: .seconds(60))
            try await backend.sendMails(to: box)
            let tokens = box.mails.compactMap(\.token)
            #expect(tokens.count == 2 && Set(box.mails.map(\.id)).count == 2)
            #expect(try await client.resetPage(tokens[0]).text.contains("This link cannot be used"))
            #expect(try await client.resetPage(tokens[1]).text.contains("The new password is set"))
        }
    }

    @Test func `a mail that could only be sent half an hour later is not sent`() async throws {
        try await withAccounts { backend, client in
            try await backend.setAddress(Self.address)
            _ = try await client.reply("ada")
            backend.clock.advance(by: .seconds(1800))
            let box = MailBox()
            try await backend.sendMails(to: box)
            #expect(box.mails.isEmpty)
            #expect(try await backend.rows("SELECT id FROM service_job").isEmpty)
        }
    }

    @Test func `a hostile name, of an account or in a request, adds no line to the header of a mail`() async throws {
        try await withAccounts { backend, client in
            let name = "x\r\nBcc: eve@example.org\r\n\r\n<script>"
            _ = try await backend.store.write { transaction in
                try transaction.execute("UPDATE app_user SET username = \(name) WHERE username = 'ada'")
            }
            try await backend.setAddress(Self.address, of: name)
            try await backend.accounts.requestReset(of: name, backend.scope())
            let box = MailBox()
            try await backend.sendMails(to: box)
            let mail = try #require(box.mails.first)
            #expect(mail.token != nil)
            #expect(mail.message.to.map(\.description) == [Self.address])
            let fields = mail.head.split(separator: "\n").map { $0.prefix { $0 != ":" } }
            #expect(
                fields == [
                    "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
                    "Content-Transfer-Encoding",
                ])
            #expect(!String(decoding: mail.bytes, as: UTF8.self).contains("eve@example.org"))
        }
    }

    @Test func `an address that a mail cannot have is set aside, and its reason does not repeat it`() async throws {
        try await withAccounts { backend, client in
            try await backend.setAddress("ada@example.org\nBcc: eve@example.org")
            _ = try await client.reply("ada")
            let box = MailBox()
            try await backend.sendMails(to: box)
            #expect(box.mails.isEmpty)
            let jobs = try await JobQueue(store: backend.store).list()
            #expect(jobs.map(\.state) == [.failed])
            #expect(jobs.first?.error?.contains("example.org") == false)
        }
    }

    @Test func `where no mail is sent, there are no resets`() async throws {
        try await withAccounts(mails: false) { backend, client in
            let refusal = try await client.refusal(
                of: RequestPasswordReset(request: PasswordResetRequest(username: "ada")))
            #expect(refusal.status == 403 && refusal.problem.code == "password_reset_disabled")
            #expect(try await client.reply("GET", "/password-reset?token=x").status == 403)
            #expect(try await client.resetPage("x").status == 403)
            #expect(backend.accounts.jobs(MailBox()).isEmpty)
        }
        try await withAccounts(allowsSignIn: false) { _, client in
            let refusal = try await client.refusal(
                of: RequestPasswordReset(request: PasswordResetRequest(username: "ada")))
            #expect(refusal.status == 403 && refusal.problem.code == "sign_in_disabled")
        }
    }
}

extension AccountsClient {
    /// The answer to a request for a reset.
    fileprivate func reply(_ username: String) async throws -> Reply {
        try await reply(RequestPasswordReset(request: PasswordResetRequest(username: username)))
    }

    /// The answer of `/password-reset` to the form for a new password.
    func resetPage(_ token: String, _ password: String = "a newer password", repeated: String? = nil) async throws
        -> Reply
    {
        var items = QueryItems()
        items.add("token", token)
        items.add("password", password)
        items.add("repeated", repeated ?? password)
        return try await reply(
            "POST", "/password-reset", headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Data(items.encoded.utf8))
    }
}

extension AccountsClient.Reply {
    /// All that an answer says, but its id and what is left of the rate.
    fileprivate var fingerprint: String {
        let fields = headers.filter { !["x-request-id", "ratelimit", "date"].contains($0.name.lowercased()) }
        return "\(status) \(fields.map { "\($0.name): \($0.value)" }.sorted()) \(Array(body))"
    }
}
