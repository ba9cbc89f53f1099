import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

/// The device's side of RFC 8628: codes and polls.
@Suite struct DeviceGrantTests {
    @Test func `codes are those of RFC 8628, kept by no cache, and stored as digests only`() async throws {
        try await withAccounts { backend, client in
            let reply = try await client.reply(AuthorizeDevice(request: DeviceRequest(deviceName: "laptop")))
            #expect(reply.status == 200 && reply.headers["Cache-Control"] == "no-store")
            let codes = try reply.decoded(DeviceAuthorization.self)
            #expect(codes.verificationUri == "https://shiftlog.example/device")
            #expect(codes.verificationUriComplete == "https://shiftlog.example/device?user_code=\(codes.userCode)")
            #expect(codes.expiresIn == 600 && codes.interval == 5)
            #expect(codes.userCode.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/) != nil)
            for row in try await backend.rows("SELECT id, user_code_hash FROM device_grant") {
                let texts = [try row.text("id"), try row.text("user_code_hash")]
                #expect(!texts.contains(codes.deviceCode) && !texts.contains(codes.userCode))
                #expect(texts[0] == OpaqueToken.digest(codes.deviceCode))
            }
        }
    }

    @Test func `a poll gets no tokens before the user has decided, and too many are slowed down`() async throws {
        try await withAccounts { backend, client in
            let codes = try await client.deviceCodes()
            #expect(try await client.pollError(codes) == "authorization_pending")
            #expect(try await client.pollError(codes) == "slow_down")
            backend.clock.advance(by: .seconds(8))
            #expect(try await client.pollError(codes) == "slow_down")
            backend.clock.advance(by: .seconds(15))
            #expect(try await client.pollError(codes) == "authorization_pending")
        }
    }

    @Test func `an allowed device is logged in once, as the user who allowed it and with its own name`() async throws {
        try await withAccounts { backend, client in
            let codes = try await client.deviceCodes(device: "build host")
            _ = try await client.decide(codes, "allow")
            let tokens = try await client.send(RefreshSession(grant: TokenGrant(deviceCode: codes.deviceCode)))
            #expect(try await client.send(GetMe(), as: .bearer(tokens.accessToken)).username == "ada")
            let sessions = try await client.send(ListSessions(), as: .bearer(tokens.accessToken)).items
            #expect(sessions.map(\.device) == ["build host"])
            #expect(backend.metrics.text().contains("shiftlog_logins_total{result=\"succeeded\"} 1"))
            _ = try await client.send(RefreshSession(grant: TokenGrant(refreshToken: tokens.refreshToken)))
        }
    }

    @Test func `lost responses are repeated until one arrives, in one session`() async throws {
        try await withAccounts { backend, client in
            let codes = try await client.deviceCodes()
            _ = try await client.decide(codes, "allow")
            var last: TokenPayload?
            for _ in 0..<50 {
                last = try await client.send(RefreshSession(grant: TokenGrant(deviceCode: codes.deviceCode)))
                backend.clock.advance(by: .seconds(5))
            }
            let tokens = try #require(last)
            let next = try await client.send(RefreshSession(grant: TokenGrant(refreshToken: tokens.refreshToken)))
            #expect(try await client.send(ListSessions(), as: .bearer(next.accessToken)).items.count == 1)
            #expect(backend.metrics.text().contains("shiftlog_logins_total{result=\"succeeded\"} 1"))
        }
    }

    @Test func `a device code that is used after its tokens is a replay and ends the session`() async throws {
        try await withAccounts { _, client in
            let codes = try await client.deviceCodes()
            _ = try await client.decide(codes, "allow")
            let first = try await client.send(RefreshSession(grant: TokenGrant(deviceCode: codes.deviceCode)))
            let next = try await client.send(RefreshSession(grant: TokenGrant(refreshToken: first.refreshToken)))
            #expect(try await client.pollError(codes) == "invalid_grant")
            #expect(try await client.refusal(of: GetMe(), as: .bearer(next.accessToken)).status == 401)
        }
    }

    @Test func `tokens that a thief of the code replaced end the session at their next use`() async throws {
        try await withAccounts { _, client in
            let codes = try await client.deviceCodes()
            _ = try await client.decide(codes, "allow")
            let device = try await client.send(RefreshSession(grant: TokenGrant(deviceCode: codes.deviceCode)))
            let thief = try await client.send(RefreshSession(grant: TokenGrant(deviceCode: codes.deviceCode)))
            let refusal = try await client.refusal(
                of: RefreshSession(grant: TokenGrant(refreshToken: device.refreshToken)))
            #expect(refusal.problem.error == "invalid_grant")
            #expect(try await client.refusal(of: GetMe(), as: .bearer(thief.accessToken)).status == 401)
        }
    }

    @Test func `a refused device gets access_denied, and one that is late expired_token`() async throws {
        try await withAccounts { backend, client in
            let (refused, late) = (try await client.deviceCodes(), try await client.deviceCodes())
            _ = try await client.decide(refused, "refuse")
            #expect(try await client.pollError(refused) == "access_denied")
            #expect(try await client.pollError(late) == "authorization_pending")
            _ = try await client.decide(late, "allow")
            backend.clock.advance(by: .seconds(601))
            #expect(try await client.pollError(late) == "expired_token")
            backend.clock.advance(by: .seconds(3600))
            try await backend.accounts.maintain(backend.store, at: backend.clock.now)
            #expect(try await backend.rows("SELECT id FROM device_grant").isEmpty)
            #expect(try await client.pollError(late) == "invalid_grant")
        }
    }

    @Test func `a password that is changed after the decision voids it`() async throws {
        try await withAccounts { backend, client in
            let codes = try await client.deviceCodes()
            _ = try await client.decide(codes, "allow")
            backend.clock.advance(by: .seconds(1))
            try await backend.accounts.setPassword(of: "ada", to: Secret("another password"))
            #expect(try await client.pollError(codes) == "access_denied")
        }
    }

    @Test func `another replica sees the codes and the decision`() async throws {
        try await withAccounts { backend, client in
            let codes = try await client.deviceCodes()
            _ = try await client.decide(codes, "allow")
            let keys = try SigningKeys(secret: Secret("a signing secret for tests, 32 bytes and more"))
            let replica = AccountsService(
                store: backend.store, keys: keys,
                accessTokens: try await AccessTokens(
                    keys: keys, issuer: { AccountsBackend.issuer }, audience: "shiftlog"),
                refreshTokens: RefreshTokens(store: backend.store), hasher: backend.accounts.hasher,
                clock: backend.clock)
            let tokens = try await replica.exchange(TokenGrant(deviceCode: codes.deviceCode), backend.scope())
            #expect(try await client.send(GetMe(), as: .bearer(tokens.accessToken)).username == "ada")
        }
    }

    @Test func `an address has at most 20 codes that wait`() async throws {
        try await withAccounts { backend, client in
            for _ in 0..<20 { _ = try await client.deviceCodes() }
            let refusal = try await client.refusal(of: AuthorizeDevice(request: DeviceRequest(deviceName: "laptop")))
            #expect(refusal.status == 429 && refusal.headers["Retry-After"] == "600")
            backend.clock.advance(by: .seconds(601))
            _ = try await client.deviceCodes()
        }
    }

    @Test func `ten thousand addresses of one IPv6 network have 20 codes, and another client gets one`() async throws {
        try await withAccounts { backend, _ in
            func isGranted(_ peer: String) async throws -> Bool {
                do {
                    _ = try await backend.accounts.authorize(
                        DeviceRequest(deviceName: "laptop"), backend.scope(peer: peer))
                    return true
                } catch let error as ServiceError where error.problem.code == "too_many_device_codes" {
                    return false
                }
            }
            var granted = 0
            for number in 0..<10_000 {
                let peer = "2001:db8:1:2::\(String(number, radix: 16))"
                if try await isGranted(peer) { granted += 1 }
            }
            #expect(granted == 20)
            #expect(try await isGranted("2001:db8:1:3::1"))
            #expect(try await isGranted("192.0.2.1"))
        }
    }

    @Test func `codes that a user has decided do not count`() async throws {
        try await withAccounts { backend, client in
            let now = backend.clock.now
            try await backend.store.write { transaction in
                for number in 0..<10_000 {
                    let grant = DeviceGrant(
                        id: "\(number)", device: "laptop", address: "192.0.2.1", createdAt: now,
                        expiresAt: now.addingTimeInterval(DeviceGrant.lifetime), interval: 5)
                    try DeviceGrantTable.insert(grant, userCodeHash: "\(number)", in: transaction)
                }
            }
            _ = try await client.refusal(of: AuthorizeDevice(request: DeviceRequest(deviceName: "laptop")))
            try await backend.store.write { transaction in
                _ = try transaction.execute("UPDATE device_grant SET decided_at = \(now)")
            }
            _ = try await client.deviceCodes()
        }
    }

    @Test func `codes of a clock that was set back end at once and block no one`() async throws {
        try await withAccounts { backend, client in
            var last: DeviceAuthorization?
            for _ in 0..<20 { last = try await client.deviceCodes() }
            backend.clock.advance(by: .seconds(-86_400))
            #expect(try await client.pollError(try #require(last)) == "expired_token")
            _ = try await client.deviceCodes()
            #expect(try await backend.rows("SELECT id FROM device_grant").count == 1)
        }
    }

    @Test func `an account that was changed before the clock was set back can log in a device`() async throws {
        try await withAccounts { backend, client in
            backend.clock.advance(by: .seconds(-86_400))
            let codes = try await client.deviceCodes()
            _ = try await client.decide(codes, "allow")
            _ = try await client.send(RefreshSession(grant: TokenGrant(deviceCode: codes.deviceCode)))
        }
    }

    @Test func `a password that is changed between the login on the page and the decision voids it`() async throws {
        try await withAccounts { backend, client in
            let codes = try await client.deviceCodes()
            let ticket = try #require(try await client.question(codes.userCode).ticket)
            backend.clock.advance(by: .seconds(1))
            try await backend.accounts.setPassword(of: "ada", to: Secret("another password"))
            backend.clock.advance(by: .seconds(1))
            _ = try await client.page(["ticket": ticket, "decision": "allow"])
            #expect(try await client.pollError(codes) == "access_denied")
        }
    }

    @Test(arguments: [
        ("", "invalid_request"), ("&device_code=", "invalid_request"), ("&device_code=sld_unknown", "invalid_grant"),
        ("&device_code=" + String(repeating: "x", count: 300), "invalid_grant"),
    ])
    func `a poll without a known code is refused`(rest: String, error: String) async throws {
        try await withAccounts { _, client in
            let reply = try await client.post(
                "/v1/oauth/token", "grant_type=urn:ietf:params:oauth:grant-type:device_code" + rest,
                type: "application/x-www-form-urlencoded")
            #expect(reply.status == 400)
            #expect(try reply.decoded(Problem.self).error == error)
        }
    }

    @Test func `without password login there is no device login`() async throws {
        try await withAccounts(allowsSignIn: false) { _, client in
            let refusal = try await client.refusal(of: AuthorizeDevice(request: DeviceRequest(deviceName: "laptop")))
            #expect(refusal.status == 403 && refusal.problem.code == "sign_in_disabled")
            #expect(try await client.reply("GET", "/device").status == 403)
            #expect(try await client.page(["ticket": "x", "decision": "allow"]).status == 403)
        }
    }
}

extension AccountsClient {
    func deviceCodes(device: String = "laptop") async throws -> DeviceAuthorization {
        try await send(AuthorizeDevice(request: DeviceRequest(deviceName: device)))
    }

    /// The OAuth error of a poll.
    func pollError(_ codes: DeviceAuthorization) async throws -> String? {
        let refusal = try await refusal(of: RefreshSession(grant: TokenGrant(deviceCode: codes.deviceCode)))
        #expect(refusal.status == 400)
        return refusal.problem.error
    }

    /// The answer of `/device` to a form.
    func page(_ fields: [String: String], from site: String? = "same-origin") async throws -> Reply {
        var headers = HeaderFields()
        headers["Sec-Fetch-Site"] = site
        return try await form("/device", fields, headers)
    }

    /// The page after the code and the login of `ada`.
    func question(
        _ userCode: String, username: String = "ada", password: Secret = AccountsBackend.password
    ) async throws -> Reply {
        try await page(["user_code": userCode, "username": username, "password": password.reveal()])
    }

    /// Allows or refuses a device as `ada`.
    func decide(_ codes: DeviceAuthorization, _ decision: String) async throws -> Reply {
        let ticket = try await question(codes.userCode).ticket
        return try await page(["ticket": try #require(ticket), "decision": decision])
    }
}

extension AccountsClient.Reply {
    var text: String { String(decoding: body, as: UTF8.self) }
    /// The ticket of the question on a page.
    var ticket: String? { (try? /name="ticket" value="([^"]*)"/.firstMatch(in: text)).map { String($0.1) } }
}
