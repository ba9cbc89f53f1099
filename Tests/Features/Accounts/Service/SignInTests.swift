import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataSQLite
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

@Suite struct SignInTests {
    @Test func `a login gives tokens that no cache may keep`() async throws {
        try await withAccounts { _, client in
            let credentials = Credentials(username: "ada", password: AccountsBackend.password.reveal(), device: nil)
            let reply = try await client.reply(CreateSession(credentials: credentials))
            #expect(reply.status == 201)
            #expect(reply.headers["Cache-Control"] == "no-store")
            let tokens = try await client.login()
            #expect(tokens.tokenType == "Bearer")
            #expect(tokens.expiresIn == 900)
            #expect(try await client.send(GetMe(), as: .bearer(tokens.accessToken)).username == "ada")
        }
    }

    @Test func `a wrong password and an unknown name get the same answer`() async throws {
        try await withAccounts { _, client in
            var answers: [Problem] = []
            for (name, password) in [
                ("ada", "wrong password"), ("nobody", "wrong password"), ("ADA", "a good password"), ("", ""),
                ("ada", ""), ("ada", "a good password "), ("' OR 1=1 --", "x"),
                ("ada", String(repeating: "x", count: 5000)),
                (String(repeating: "n", count: 5000), "x"),
            ] {
                let refusal = try await client.refusal(
                    of: CreateSession(credentials: Credentials(username: name, password: password, device: "x")))
                #expect(refusal.status == 401)
                #expect(refusal.headers["WWW-Authenticate"] == "Bearer error=\"invalid_credentials\"")
                var problem = refusal.problem
                problem.requestId = nil
                answers.append(problem)
            }
            #expect(Set(answers).count == 1)
            #expect(answers.first?.code == "invalid_credentials")
        }
    }

    @Test func `sign-in can be switched off, and refresh still works`() async throws {
        try await withAccounts(allowsSignIn: false) { backend, client in
            let refusal = try await client.refusal(
                of: CreateSession(credentials: Credentials(username: "ada", password: "a good password", device: nil)))
            #expect(refusal.status == 403)
            #expect(refusal.problem.code == "sign_in_disabled")
            let user = try await backend.rows("SELECT id FROM app_user WHERE username = 'ada'")[0].text("id")
            let grant = try await backend.store.write { transaction in
                try backend.accounts.refreshTokens.start(
                    userId: user, device: "x", at: backend.clock.now, in: transaction)
            }
            _ = try await client.send(
                RefreshSession(grant: TokenGrant(refreshToken: grant.refreshToken.reveal())))
        }
    }

    @Test(arguments: [String(repeating: "d", count: 201), "line\u{1B}[2Jfeed"])
    func `a device name that cannot be listed is refused with its field`(device: String) async throws {
        try await withAccounts { _, client in
            let refusal = try await client.refusal(
                of: CreateSession(
                    credentials: Credentials(username: "ada", password: "a good password", device: device)))
            #expect(refusal.status == 422)
            #expect(refusal.problem.errors?.map(\.field) == ["device"])
        }
    }

    @Test func `the eleventh failure must wait, at this address only`() async throws {
        try await withAccounts { backend, client in
            let wrong = Credentials(username: "ada", password: "wrong password", device: nil)
            for _ in 0..<10 { #expect(try await client.refusal(of: CreateSession(credentials: wrong)).status == 401) }
            let refusal = try await client.refusal(of: CreateSession(credentials: wrong))
            #expect(refusal.status == 429)
            #expect(refusal.problem.code == "too_many_logins")
            #expect(refusal.headers["Retry-After"] == "900")
            let right = Credentials(username: "ada", password: AccountsBackend.password.reveal(), device: nil)
            #expect(try await client.refusal(of: CreateSession(credentials: right)).status == 429)
            _ = try await backend.accounts.signIn(right, backend.scope(peer: "198.51.100.7"))
            _ = try await client.login("root")
        }
    }

    @Test func `the client behind a trusted proxy is locked out, and no other client of that proxy`() async throws {
        try await withAccounts { backend, client in
            func login(_ password: String, from address: String) async throws -> Int {
                let body = #"{"username":"ada","password":"\#(password)"}"#
                return try await client.reply(
                    "POST", "/v1/sessions",
                    headers: ["Content-Type": "application/json", "X-Forwarded-For": "6.6.6.6, \(address)"],
                    body: Data(body.utf8)
                ).status
            }
            var wrong: [Int] = []
            for _ in 0..<11 { wrong.append(try await login("wrong", from: "192.0.2.1")) }
            #expect(wrong == Array(repeating: 401, count: 10) + [429])
            let right = AccountsBackend.password.reveal()
            let here = try await login(right, from: "192.0.2.1")
            let elsewhere = try await login(right, from: "192.0.2.2")
            #expect(here == 429)
            #expect(elsewhere == 201)
            let events = backend.log.lines.filter { $0.contains("login failed") }
            #expect(events.count == 10)
            #expect(events.allSatisfy { $0.contains("client=192.0.2.1") && $0.contains("username=ada") })
        }
    }

    @Test func `a failed login is an event with the name of an account, and never with another text`() async throws {
        try await withAccounts { backend, client in
            let texts = ["hunter2-typed-in-the-wrong-field", "ADA", String(repeating: "n", count: 5000)]
            for name in ["ada"] + texts {
                _ = try await client.refusal(
                    of: CreateSession(credentials: Credentials(username: name, password: "wrong password", device: nil))
                )
            }
            let log = backend.log.lines.joined(separator: "\n")
            let events = backend.log.lines.filter { $0.hasPrefix("notice login failed") }
            #expect(events.count == 4)
            #expect(events[0].contains("username=ada"))
            let counts = try await backend.rows("SELECT * FROM login_failure").map { String(reflecting: $0) }.joined()
            for text in texts + ["wrong password"] { #expect(!log.contains(text) && !counts.contains(text)) }
            #expect(events[1].contains("(unknown ") && events[1].contains(" 32 bytes)"))
            #expect(events.allSatisfy { $0.utf8.count < 300 && $0.contains("request_id=") })
        }
    }

    @Test func `logins are counted by how they end`() async throws {
        try await withAccounts { backend, client in
            let wrong = CreateSession(credentials: Credentials(username: "ada", password: "wrong", device: nil))
            _ = try await client.login("root")
            for _ in 0..<12 { _ = try await client.refusal(of: wrong) }
            let metrics = backend.metrics.text()
            #expect(metrics.contains("shiftlog_logins_total{result=\"succeeded\"} 1\n"))
            #expect(metrics.contains("shiftlog_logins_total{result=\"failed\"} 10\n"))
            #expect(metrics.contains("shiftlog_logins_total{result=\"throttled\"} 2\n"))
        }
    }

    @Test func `two hundred right logins at once all succeed`() async throws {
        try await withAccounts { _, client in
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<200 { group.addTask { try await client.login().refreshToken } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens.count == 200)
        }
    }

    @Test func `a hash of another cost is replaced at the next login, and only then`() async throws {
        try await withAccounts { backend, client in
            let old = PasswordHasher(
                cost: try #require(ScryptCost(rounds: 32, blockSize: 8, parallelism: 1)), pool: BlockingPool())
            let hash = try await old.hash(AccountsBackend.password)
            _ = try await backend.store.write { transaction in
                try transaction.execute("UPDATE app_user SET password_hash = \(hash) WHERE username = 'ada'")
            }
            let stored: @Sendable () async throws -> String = {
                try await backend.rows("SELECT password_hash FROM app_user WHERE username = 'ada'")[0]
                    .text("password_hash")
            }
            _ = try await client.refusal(
                of: CreateSession(credentials: Credentials(username: "ada", password: "wrong password", device: nil)))
            #expect(try await stored() == hash)
            _ = try await client.login()
            let upgraded = try await stored()
            #expect(upgraded.hasPrefix("scrypt$16$8$1$"))
            _ = try await client.login()
            #expect(try await stored() == upgraded)
        }
    }

    @Test func `no secret is in the database or the log`() async throws {
        try await withAccounts { backend, client in
            let tokens = try await client.login()
            let next = try await client.send(RefreshSession(grant: TokenGrant(refreshToken: tokens.refreshToken)))
            let key = try await client.send(
                CreateHostToken(draft: HostTokenDraft(name: "web-1")), as: try await client.admin()
            ).key
            _ = try await client.reply(GetMe(), as: .key(try #require(key).reveal()))
            _ = try await client.reply(GetMe(), as: .bearer(tokens.accessToken + "x"))
            let secrets = [
                AccountsBackend.password.reveal(), tokens.accessToken, tokens.refreshToken, next.refreshToken,
                try #require(key).reveal(),
            ]
            var kept = backend.log.lines.joined(separator: "\n") + backend.metrics.text()
            for table in ["app_user", "host_token", "auth_session", "auth_refresh_token", "idempotent_answer"] {
                kept += try await backend.rows(Statement(stringLiteral: "SELECT * FROM \(table)"))
                    .map { String(reflecting: $0) }.joined()
            }
            for secret in secrets { #expect(!kept.contains(secret)) }
        }
    }
}
