import AccountsAPI
import AccountsData
import AccountsDomain
import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting
import StrataTokens
import Testing

/// The device's part of RFC 8628, against a scripted server.
@Suite struct DeviceLoginTests {
    private let open = MockAPIClient()
    private let store = MemoryTokenStore()
    private let timer = RecordingClock()
    private let shown = ShownCodes()
    private static let access = "e30.\(Data(#"{"sub":"u1","name":"ada"}"#.utf8).base64EncodedString()).x"
    private static let tokens = TokenPayload(accessToken: access, expiresIn: 900, refreshToken: "refresh-1")

    private var repository: RemoteSessionRepository {
        let server = ServerClock(ManualWallClock())
        return RemoteSessionRepository(
            client: MockAPIClient(), open: open,
            provider: RefreshingTokenProvider(
                store: store, refresher: SessionTokenRefresher(client: open, clock: server), clock: server),
            store: store, server: "http://tides.test:80", clock: server, timer: timer)
    }

    private static func refusal(_ code: String) -> NetworkError.Kind {
        .validation(Problem(title: "Refused", status: 400, code: code, error: code))
    }

    /// Logs in at a server that answers the polls one after the other; `nil` is the tokens.
    ///
    /// - Returns: The waits before the polls, in seconds.
    private func login(
        _ answers: [NetworkError.Kind?], expiresIn: Int = 600, within limit: Duration? = nil,
        page: String = "https://tides.test/device", link: String? = "https://tides.test/device?user_code=WDJB-MJHT",
        code: String = "WDJB-MJHT", sending tokens: TokenPayload = Self.tokens
    ) async throws -> [Duration] {
        open.on(AuthorizeDevice.self) { _, _ in
            var codes = DeviceAuthorization(
                deviceCode: "sld_1", userCode: code, verificationUri: page, verificationUriComplete: "",
                expiresIn: expiresIn, interval: 5)
            codes.verificationUriComplete = link
            return codes
        }
        let left = Mutex(answers)
        open.on(RefreshSession.self) { call, _ in
            #expect(call.grant.grantType == TokenGrant.deviceCodeType && call.grant.deviceCode == "sld_1")
            let answer = left.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? nil }
            if let answer { throw NetworkError(answer) }
            return tokens
        }
        let (username, place) = try await repository.login(device: "laptop", within: limit) { [shown] code in
            shown.codes.withLock { $0.append(code) }
        }
        #expect(username == "ada" && place == "memory")
        return timer.waits
    }

    @Test func `the device shows its code, waits, and keeps the tokens with their account`() async throws {
        let waits = try await login([Self.refusal("authorization_pending"), nil])
        #expect(waits == [.seconds(5), .seconds(5)])
        #expect(shown.codes.withLock { $0.map(\.code) } == ["WDJB-MJHT"])
        #expect(shown.codes.withLock { $0.map(\.link) } == ["https://tides.test/device?user_code=WDJB-MJHT"])
        let stored = try #require(try await store.read())
        #expect(stored.refresh == Secret("refresh-1"))
        #expect(stored.account?.userId == "u1" && stored.account?.username == "ada")
    }

    @Test func `a server need not send a link with the code`() async throws {
        _ = try await login([nil], link: nil)
        #expect(shown.codes.withLock { $0.map(\.link) } == ["https://tides.test/device"])
    }

    @Test(arguments: [
        "javascript:alert(1)", "file:///etc/passwd", "ftp://tides.test/", "//tides.test", "", "https:/tides.test",
        "https://tides.test/ a", "https://tides.test/\u{1B}[2J", "https://" + String(repeating: "a", count: 1 << 20),
    ])
    func `a login page that no browser should open is not shown`(page: String) async throws {
        await #expect(throws: DomainError.self) { try await login([nil], page: page) }
        await #expect(throws: DomainError.self) { try await login([nil], link: page) }
        #expect(shown.codes.withLock { $0.isEmpty })
        #expect(open.calls(to: RefreshSession.self).isEmpty)
    }

    @Test func `a program that the server refuses is not asked to log in`() async throws {
        let refusal = Problem(title: "Unauthorized", status: 401, error: "invalid_client")
        let error = await #expect(throws: DomainError.self) { try await login([.unauthorized(refusal)]) }
        guard case .forbidden(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("invalid_client") && !text.contains("Not logged in"))
    }

    @Test(arguments: ["access_denied", "expired_token", "invalid_grant", "invalid_request"])
    func `any other answer ends the login and keeps nothing`(code: String) async throws {
        let error = await #expect(throws: DomainError.self) { try await login([Self.refusal(code)]) }
        switch code {
        case "access_denied": #expect(error?.description.contains("refused in the browser") == true)
        case "expired_token": #expect(error?.description.contains("expired") == true)
        default: break
        }
        #expect(try await store.read() == nil)
    }

    @Test(arguments: [(12, [5, 5, 2]), (5, [5]), (3, [3])])
    func `a login that is not allowed within its limit ends at the limit`(limit: Int, waits: [Int]) async throws {
        let error = await #expect(throws: DomainError.self) {
            try await login([Self.refusal("authorization_pending")], within: .seconds(limit))
        }
        #expect(timer.waits == waits.map { .seconds($0) })
        #expect(error?.description.contains("--timeout") == true)
        if case .busy = error {} else { Issue.record("\(String(describing: error))") }
        #expect(try await store.read() == nil)
    }

    @Test(arguments: [
        ("\r\nX-Evil: 1", "refresh-1"), (" ", "refresh-1"), ("é", "refresh-1"), ("\0", "refresh-1"),
        (String(repeating: "a", count: 16_384), "refresh-1"), ("", "refresh-1\r\nX-Evil: 1"), ("", "refresh 1"),
        ("", ""),
    ])
    func `a token that cannot be sent ends the login and is not kept`(ending: String, refresh: String) async throws {
        let tokens = TokenPayload(accessToken: Self.access + ending, expiresIn: 900, refreshToken: refresh)
        let error = await #expect(throws: DomainError.self) { try await login([nil], sending: tokens) }
        #expect(error?.description.contains("characters that no token has") == true)
        #expect(try await store.read() == nil)
        #expect(open.calls(to: RefreshSession.self).count == 1)
    }

    @Test func `tokens that cannot be kept are given back`() async throws {
        open.on(RevokeToken.self) { _, _ in NoContent() }
        store.failure = TokenStoreError("The disk is full.")
        await #expect(throws: DomainError.self) { try await login([nil]) }
        #expect(open.calls(to: RevokeToken.self).map(\.revocation.token) == ["refresh-1"])
    }
}

/// A clock on which every sleep is over at once.
private final class RecordingClock: Clock {
    private let slept = Mutex<[Duration]>([])
    var waits: [Duration] { slept.withLock { $0 } }
    var now: ManualClock.Instant { .init(offset: waits.reduce(.zero, +)) }
    let minimumResolution = Duration.nanoseconds(1)

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        let wait = now.duration(to: deadline)
        slept.withLock { $0.append(wait) }
    }
}

private final class ShownCodes: Sendable {
    let codes = Mutex<[DeviceCode]>([])
}
