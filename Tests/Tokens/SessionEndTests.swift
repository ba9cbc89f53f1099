import Foundation
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// The events that end a session, and those that do not.
struct SessionEndTests {
    let store = MemoryTokenStore(.number(1))
    let clock = ManualWallClock(SessionTokens.noon)
    let ends = CallCounter()

    func provider(_ refresher: FakeRefresher, store: (any TokenStore)? = nil) -> RefreshingTokenProvider {
        RefreshingTokenProvider(
            store: store ?? self.store, refresher: refresher, clock: clock, onSessionEnd: { [ends] in ends.increment() }
        )
    }

    static let endings: [NetworkError] = [
        .grant { .validation($0) }, .grant { .unauthorized($0) }, .grant { .status(400, $0) },
        .grant { .status(401, $0) },
    ]

    @Test(arguments: endings.indices)
    func `invalid_grant ends the session once, for all callers`(index: Int) async throws {
        let refresher = FakeRefresher { _, _ throws(NetworkError) in
            await Task.yield()
            throw Self.endings[index]
        }
        let provider = provider(refresher)
        let errors = await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    await outcome { () throws(NetworkError) in
                        try await provider.refreshToken(rejecting: Secret("access-1"))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1.error) }
        }
        #expect(errors.allSatisfy { $0?.isUnauthorized == true })
        #expect(refresher.sent.count == 1)
        #expect(ends.value == 1)
        #expect(try await store.read() == nil)
        #expect(try await provider.currentToken() == nil)
    }

    static let passing: [NetworkError] = [
        NetworkError(.offline("no route")), NetworkError(.connectionLost("reset")), NetworkError(.timeout),
        NetworkError(.server(500, nil)), NetworkError(.server(503, nil)),
        NetworkError(.rateLimited(retryAfter: .seconds(3))),
        NetworkError(.circuitOpen(origin: "http://x", until: SessionTokens.noon)), NetworkError(.invalidResponse("?")),
        NetworkError(.unauthorized(nil)), NetworkError(.forbidden(nil)), NetworkError(.status(400, nil)),
        .grant({ .validation($0) }, error: "invalid_client"), .grant { .server(500, $0) }, .grant { .status(404, $0) },
    ]

    @Test(arguments: passing.indices)
    func `any other failure reaches every caller and keeps the session, and the next call refreshes again`(index: Int)
        async throws
    {
        let gate = Gate()
        let refresher = FakeRefresher { number, _ throws(NetworkError) in
            if number > 1 { return .number(2) }
            try? await gate.wait()
            throw Self.passing[index]
        }
        let provider = provider(refresher)
        let errors = try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    await outcome { () throws(NetworkError) in
                        try await provider.refreshToken(rejecting: Secret("access-1"))
                    }
                }
            }
            try await eventually("all wait") { await provider.waiting == 20 }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1.error) }
        }
        #expect(errors.allSatisfy { $0?.description == NetworkError(inRefresh: Self.passing[index]).description })
        #expect(refresher.sent.count == 1)
        #expect(try await store.read() == .number(1))
        #expect(ends.value == 0)
        #expect(try await provider.refreshToken(rejecting: Secret("access-1")) == Secret("access-2"))
    }

    @Test func `invalid_grant for a token that was replaced in the meantime uses the new session`() async throws {
        let store = store
        let refresher = FakeRefresher { _, _ throws(NetworkError) in
            try? await store.write(.number(7))
            throw Self.endings[0]
        }
        let provider = provider(refresher)
        #expect(try await provider.refreshToken(rejecting: Secret("access-1")) == Secret("access-7"))
        #expect(try await store.read() == .number(7))
        #expect(ends.value == 0)
    }

    @Test func `a second 401 ends the session once, however many callers report it`() async throws {
        let provider = provider(FakeRefresher { _, _ in .number(2) })
        #expect(try await provider.refreshToken(rejecting: Secret("access-1")) == Secret("access-2"))
        await withTaskGroup { group in
            for _ in 0..<50 { group.addTask { await provider.endSession() } }
        }
        #expect(ends.value == 1)
        #expect(try await store.read() == nil)
        #expect(try await provider.currentToken() == nil)
        await provider.endSession()
        #expect(ends.value == 1)
    }

    @Test func `ending a session keeps a newer session of another process`() async throws {
        let provider = provider(FakeRefresher { _, _ in .number(2) })
        #expect(try await provider.currentToken() == Secret("access-1"))
        try await store.write(.number(5))
        await provider.endSession()
        #expect(ends.value == 0)
        #expect(try await provider.currentToken() == Secret("access-5"))
    }

    @Test func `a call without a session has no token, and a refresh is unauthorized`() async throws {
        try await store.clear()
        let refresher = FakeRefresher { _, _ in .number(2) }
        let provider = provider(refresher)
        #expect(try await provider.currentToken() == nil)
        let error = await outcome { () throws(NetworkError) in try await provider.refreshToken(rejecting: Secret("x")) }
            .error
        #expect(error?.isUnauthorized == true)
        #expect(refresher.sent.isEmpty && ends.value == 0)
    }

    @Test func `a login by another process is noticed`() async throws {
        try await store.clear()
        let provider = provider(FakeRefresher { _, _ in .number(2) })
        #expect(try await provider.currentToken() == nil)
        try await store.write(.number(4))
        #expect(try await provider.currentToken() == Secret("access-4"))
    }

    @Test func `a store that cannot be read is an error with a message, not a logout`() async throws {
        store.failure = TokenStoreError("The token file '/t' is damaged; 'shiftlog login' replaces it.")
        let provider = provider(FakeRefresher { _, _ in .number(2) })
        let current = await outcome { () throws(NetworkError) in try await provider.currentToken() }
        #expect(current.error?.description.contains("'shiftlog login' replaces it") == true)
        let refreshed = await outcome { () throws(NetworkError) in
            try await provider.refreshToken(rejecting: Secret("x"))
        }
        #expect(refreshed.error?.description.contains("'shiftlog login' replaces it") == true)
        #expect(ends.value == 0)
    }

    @Test func `new tokens that cannot be stored are not used`() async throws {
        let store = store
        let refresher = FakeRefresher { _, _ in .number(2) }
        let hooked = HookedStore(store) { step in
            if step == .write { store.failure = TokenStoreError("The disk is full.") }
        }
        let provider = provider(refresher, store: hooked)
        let answer = await outcome { () throws(NetworkError) in
            try await provider.refreshToken(rejecting: Secret("access-1"))
        }
        #expect(answer.error?.description.contains("The disk is full.") == true)
        store.failure = nil
        #expect(try await store.read() == .number(1))
    }

    @Test func `no refresh is sent if its tokens cannot be stored, and the session is kept`() async throws {
        let refresher = FakeRefresher { number, _ in .number(number + 1) }
        let full = FullStore(base: store)
        let provider = provider(refresher, store: full)
        let answer = await outcome { () throws(NetworkError) in
            try await provider.refreshToken(rejecting: Secret("access-1"))
        }
        #expect(answer.error?.description.contains("Nothing was sent") == true)
        #expect(refresher.sent.isEmpty && ends.value == 0)
        // The old token is still valid, so it is used.
        clock.advance(by: .seconds(880))
        #expect(try await provider.currentToken() == Secret("access-1"))
        clock.advance(by: .seconds(30))
        #expect(await outcome { () throws(NetworkError) in try await provider.currentToken() }.error != nil)
        #expect(refresher.sent.isEmpty)
        full.isFull.withLock { $0 = false }
        #expect(try await provider.currentToken() == Secret("access-2"))
    }

    @Test func `a refresh keeps the account of the tokens`() async throws {
        let account = SessionAccount(server: "http://tides.test:80", userId: "u1", username: "ada")
        var first = SessionTokens.number(1)
        first.account = account
        try await store.write(first)
        let provider = provider(FakeRefresher { _, _ in .number(2) })
        #expect(try await provider.refreshToken(rejecting: Secret("access-1")) == Secret("access-2"))
        #expect(try await store.read()?.account == account)
    }

    @Test func `a login that fails changes nothing, and one that cannot be stored is discarded`() async throws {
        let provider = provider(FakeRefresher { _, _ in .number(2) })
        #expect(try await provider.currentToken() == Secret("access-1"))
        await #expect(throws: NetworkError.self) {
            try await provider.startSession { throw NetworkError(.offline("no route")) }
        }
        #expect(try await provider.currentToken() == Secret("access-1"))

        let discarded = Mutex<[SessionTokens]>([])
        let store = store
        await #expect(throws: TokenStoreError.self) {
            try await provider.startSession {
                store.failure = TokenStoreError("The disk failed.")
                return .number(7)
            } discard: { tokens in
                discarded.withLock { $0.append(tokens) }
            }
        }
        store.failure = nil
        #expect(discarded.withLock { $0 }.map(\.refresh) == [Secret("refresh-7")])
        #expect(try await provider.currentToken() == Secret("access-1"))
        #expect(try await provider.startSession { .number(8) }?.refresh == Secret("refresh-1"))
        #expect(try await provider.currentToken() == Secret("access-8"))
    }

    @Test func `errors and the log contain no token`() async throws {
        let recorder = LogRecorder()
        let store = MemoryTokenStore(
            SessionTokens(access: Secret("CANARY-a"), refresh: Secret("CANARY-r"), expiresAt: SessionTokens.noon))
        let refresher = FakeRefresher { number, _ throws(NetworkError) in
            if number == 1 { throw NetworkError(.server(503, nil)) }
            throw Self.endings[0]
        }
        let provider = RefreshingTokenProvider(
            store: store, refresher: refresher, clock: clock, logger: recorder.logger())
        for _ in 0..<3 {
            let error = await outcome { () throws(NetworkError) in
                try await provider.refreshToken(rejecting: Secret("CANARY-a"))
            }
            #expect(error.error?.description.contains("CANARY") == false)
        }
        #expect(!recorder.lines.isEmpty && !recorder.lines.contains { $0.contains("CANARY") })
    }
}

/// A store on a full disk.
private final class FullStore: TokenStore {
    let base: MemoryTokenStore
    let isFull = Mutex(true)
    init(base: MemoryTokenStore) { self.base = base }

    var place: String { base.place }

    func read() async throws(TokenStoreError) -> SessionTokens? { try await base.read() }
    func reserve() async throws(TokenStoreError) {
        if isFull.withLock({ $0 }) { throw TokenStoreError("There is no room. Nothing was sent.") }
    }
    func write(_ tokens: SessionTokens) async throws(TokenStoreError) { try await base.write(tokens) }
    func clear() async throws(TokenStoreError) { try await base.clear() }
    func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await base.withLock(body)
    }
}
