import FoundationEssentials
import HTTPTypes
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

@Suite struct RefreshTokensTests {
    private let database: AuthDatabase
    private let tokens: RefreshTokens
    private let log = LogRecorder()
    private var store: any Store { database.store }

    init() async throws {
        database = try await AuthDatabase()
        tokens = RefreshTokens(store: database.store, logger: log.logger())
    }

    private func later(_ seconds: TimeInterval) -> Date { Sample.now.addingTimeInterval(seconds) }

    private func start(_ userId: String = "ada", device: String = "laptop") async throws -> RefreshTokens.Grant {
        try await store.write { [tokens] transaction in
            try tokens.start(userId: userId, device: device, at: Sample.now, in: transaction)
        }
    }

    private func use(_ token: Secret, after seconds: TimeInterval = 0) async throws -> Secret {
        try await tokens.rotate(token.reveal(), at: later(seconds)).refreshToken
    }

    private func expectRefused(_ token: Secret, after seconds: TimeInterval = 0) async throws {
        let error = try #require(await #expect(throws: ServiceError.self) { try await use(token, after: seconds) })
        #expect(error.problem.status == 400)
        #expect(error.problem.error == "invalid_grant")
        #expect(error.problem.errorDescription?.isEmpty == false)
        #expect(error.headers["Cache-Control"] == "no-store")
        #expect(error.problem.detail?.contains(token.reveal()) == false)
    }

    private func isActive(_ grant: RefreshTokens.Grant, of userId: String = "ada") async throws -> Bool {
        try await store.read { reader in
            try reader.row("SELECT 1 AS found WHERE \(Sessions.isActive(grant.sessionId, of: userId))") != nil
        }
    }

    private func live() async throws -> Int {
        try await store.read { reader in
            try reader.row(
                """
                SELECT COUNT(*) AS n FROM auth_refresh_token JOIN auth_session ON auth_session.id = session_id
                WHERE used_at IS NULL AND superseded_at IS NULL AND ended_at IS NULL
                """)?.int("n") ?? 0
        }
    }

    @Test func `each token is exchanged for a new one`() async throws {
        let grant = try await start()
        var seen: Set<Secret> = [grant.refreshToken]
        var token = grant.refreshToken
        for step in 1...20 {
            token = try await use(token, after: Double(step) * 100)
            #expect(seen.insert(token).inserted)
        }
        #expect(try await isActive(grant))
        #expect(try await live() == 1)
    }

    @Test func `a client stays logged in after lost responses`() async throws {
        let grant = try await start()
        _ = try await use(grant.refreshToken)
        _ = try await use(grant.refreshToken, after: 10)
        let received = try await use(grant.refreshToken, after: 30)
        let next = try await use(received, after: 31)
        _ = try await use(next, after: 32)
        #expect(try await isActive(grant))
        #expect(try await live() == 1)
    }

    @Test func `the token before the last ends the session`() async throws {
        let grant = try await start()
        let second = try await use(grant.refreshToken)
        let third = try await use(second, after: 1)
        try await expectRefused(grant.refreshToken, after: 2)
        #expect(try await !isActive(grant))
        try await expectRefused(third, after: 3)
        #expect(try await live() == 0)
    }

    @Test func `repeating does not prolong the 30 seconds`() async throws {
        let grant = try await start()
        _ = try await use(grant.refreshToken)
        _ = try await use(grant.refreshToken, after: 25)
        try await expectRefused(grant.refreshToken, after: 40)
        #expect(try await !isActive(grant))
    }

    @Test func `a superseded token ends the session`() async throws {
        let grant = try await start()
        let lost = try await use(grant.refreshToken)
        let received = try await use(grant.refreshToken, after: 1)
        try await expectRefused(lost, after: 2)
        #expect(try await !isActive(grant))
        try await expectRefused(received, after: 3)
    }

    @Test func `the end of a session is committed although the call fails`() async throws {
        let grant = try await start()
        let second = try await use(grant.refreshToken)
        _ = try await use(second)
        await #expect(throws: ServiceError.self) { try await use(grant.refreshToken) }
        let reason = try await store.read { reader in
            try reader.row("SELECT end_reason FROM auth_session")?.text("end_reason")
        }
        #expect(reason == "replay")
        #expect(log.lines.contains { $0.contains("used again") && $0.contains(grant.sessionId) })
        #expect(!log.lines.contains { $0.contains(grant.refreshToken.reveal()) || $0.contains(second.reveal()) })
    }

    @Test func `the fifty-first session of a user ends the least recently used one, and no other user's`() async throws
    {
        let other = try await start("bob")
        var grants: [RefreshTokens.Grant] = []
        for number in 0..<50 {
            grants.append(
                try await store.write { [tokens] transaction in
                    try tokens.start(
                        userId: "ada", device: "d\(number)", at: later(Double(number)), in: transaction)
                })
        }
        // The first is used later than the second.
        _ = try await use(grants[0].refreshToken, after: 100)
        let newest = try await store.write { [tokens] transaction in
            try tokens.start(userId: "ada", device: "new", at: later(200), in: transaction)
        }
        #expect(try await isActive(newest))
        #expect(try await isActive(grants[0]))
        #expect(try await !isActive(grants[1]))
        #expect(try await isActive(other, of: "bob"))
        let active = try await store.read { reader in
            try Sessions.list(userId: "ada", at: later(200), in: reader).count
        }
        #expect(active == 50)
        try await expectRefused(grants[1].refreshToken, after: 201)
        _ = try await use(grants[2].refreshToken, after: 201)
    }

    @Test func `a new session is never the one that ends, also where all start in one moment`() async throws {
        let few = RefreshTokens(store: store, sessionLimit: 1, logger: log.logger())
        var last: RefreshTokens.Grant?
        for _ in 0..<100 {
            last = try await store.write { transaction in
                try few.start(userId: "ada", device: "d", at: Sample.now, in: transaction)
            }
        }
        #expect(try await isActive(try #require(last)))
        #expect(try await live() == 1)
    }

    @Test func `a replay ends one session and leaves the user's others alone`() async throws {
        let first = try await start()
        let other = try await start(device: "phone")
        let second = try await use(first.refreshToken)
        _ = try await use(second)
        try await expectRefused(first.refreshToken)
        #expect(try await isActive(other))
        _ = try await use(other.refreshToken)
    }

    @Test func `an expired token is refused, and each use prolongs the session`() async throws {
        let short = RefreshTokens(store: store, lifetimeSeconds: 100, logger: log.logger())
        let grant = try await store.write { transaction in
            try short.start(userId: "ada", device: "laptop", at: Sample.now, in: transaction)
        }
        let second = try await short.rotate(grant.refreshToken.reveal(), at: later(99)).refreshToken
        let third = try await short.rotate(second.reveal(), at: later(198)).refreshToken
        await #expect(throws: ServiceError.self) { try await short.rotate(third.reveal(), at: later(298)) }
    }

    @Test(arguments: [
        "", "slr_", "unknown", "slr_'; DROP TABLE auth_session; --", String(repeating: "x", count: 100_000),
    ])
    func `an unknown token is refused`(text: String) async throws {
        try await expectRefused(Secret(text + "?"))
    }

    @Test func `a token of a logged out session is refused`() async throws {
        let grant = try await start()
        let ended = try await store.write { transaction in
            try Sessions.end(grant.sessionId, of: "ada", because: .logout, at: Sample.now, in: transaction)
        }
        #expect(ended)
        try await expectRefused(grant.refreshToken)
        #expect(try await !isActive(grant))
    }

    @Test func `a session is ended once, and only by its own user`() async throws {
        let grant = try await start()
        let (foreign, own, again) = try await store.write { transaction in
            (
                try Sessions.end(grant.sessionId, of: "bob", because: .revoked, at: Sample.now, in: transaction),
                try Sessions.end(grant.sessionId, of: "ada", because: .revoked, at: Sample.now, in: transaction),
                try Sessions.end(grant.sessionId, of: "ada", because: .revoked, at: Sample.now, in: transaction)
            )
        }
        #expect(!foreign && own && !again)
    }

    @Test func `ending all sessions can spare one and touches no other user`() async throws {
        let (kept, ended, foreign) = (try await start(), try await start(), try await start("bob"))
        let count = try await store.write { transaction in
            try Sessions.endAll(
                of: "ada", except: kept.sessionId, because: .passwordChanged, at: Sample.now, in: transaction)
        }
        #expect(count == 1)
        #expect(try await isActive(kept))
        #expect(try await !isActive(ended))
        #expect(try await isActive(foreign, of: "bob"))
    }

    @Test func `only the digest of a token is stored`() async throws {
        let grant = try await start()
        #expect(grant.refreshToken.reveal().hasPrefix("slr_"))
        #expect(grant.refreshToken.reveal().utf8.count == 47)
        let hashes = try await store.read { reader in
            try reader.rows("SELECT hash FROM auth_refresh_token").map { try $0.text("hash") }
        }
        #expect(hashes == [try #require(OpaqueToken.digest(grant.refreshToken.reveal()))])
    }

    @Test func `the next login deletes expired rows`() async throws {
        let short = RefreshTokens(store: store, lifetimeSeconds: 10, logger: log.logger())
        for second in [0.0, 100, 200] {
            _ = try await store.write { transaction in
                try short.start(userId: "ada", device: "laptop", at: later(second), in: transaction)
            }
        }
        let counts = try await store.read { reader in
            (
                try reader.row("SELECT COUNT(*) AS n FROM auth_session")?.int("n"),
                try reader.row("SELECT COUNT(*) AS n FROM auth_refresh_token")?.int("n")
            )
        }
        #expect(counts == (1, 1))
    }

    @Test func `a thousand parallel uses of one token leave exactly one chain alive`() async throws {
        let grant = try await start()
        let received = await withTaskGroup(of: Secret?.self) { group in
            for _ in 0..<1000 { group.addTask { try? await use(grant.refreshToken) } }
            return await group.reduce(into: [Secret]()) { found, token in if let token { found.append(token) } }
        }
        // Writers side by side overtake each other here; one that is overtaken too often is told to come back.
        #expect(received.count >= (store.hasConcurrentWriters ? 950 : 1000))
        #expect(Set(received).count == received.count)
        #expect(try await live() == 1)
        let alive = try await store.read { reader in
            try reader.row(
                "SELECT hash FROM auth_refresh_token WHERE used_at IS NULL AND superseded_at IS NULL")?.text("hash")
        }
        let holder = try #require(received.first { OpaqueToken.digest($0.reveal()) == alive })
        let next = try await use(holder, after: 1)
        _ = try await use(next, after: 2)
        #expect(try await isActive(grant))
    }

    @Test func `parallel uses of a token and its successor end with one chain or none`() async throws {
        for _ in 0..<20 {
            let grant = try await start()
            let second = try await use(grant.refreshToken)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<5 {
                    group.addTask { _ = try? await use(grant.refreshToken) }
                    group.addTask { _ = try? await use(second) }
                }
            }
            let isAlive = try await isActive(grant)
            let tokens = try await store.read { reader in
                try reader.row(
                    """
                    SELECT COUNT(*) AS n FROM auth_refresh_token
                    WHERE session_id = \(grant.sessionId) AND used_at IS NULL AND superseded_at IS NULL
                    """)?.int("n") ?? 0
            }
            #expect(tokens <= 1)
            // A use of the first token after the second, or of the second after it was superseded.
            #expect(!isAlive)
        }
    }
}
