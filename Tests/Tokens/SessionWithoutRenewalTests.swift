import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// Tokens that are sent as they are: in a read in the background, and in a session without a refresh token.
struct SessionWithoutRenewalTests {
    private let clock = ManualWallClock(SessionTokens.noon)
    private let refresher = FakeRefresher { number, _ in
        .number(number + 1, at: SessionTokens.noon.addingTimeInterval(1000))
    }

    @Test func `a read in the background sends an expired token, and renews it only when it was refused`() async throws
    {
        let provider = RefreshingTokenProvider(
            store: MemoryTokenStore(.number(1)), refresher: refresher, clock: clock)
        clock.advance(by: .seconds(1000))
        try await BackgroundRead.$isCurrent.withValue(true) { () async throws in
            #expect(try await provider.currentToken() == Secret("access-1"))
            #expect(refresher.sent.isEmpty)
            #expect(try await provider.refreshToken(rejecting: Secret("access-1")) == Secret("access-2"))
        }
        #expect(try await provider.currentToken() == Secret("access-2") && refresher.sent.count == 1)
    }

    @Test func `a program can wait for the refresh in flight, also when its reader was cancelled`() async throws {
        let gate = Gate()
        let held = FakeRefresher { number, _ in
            try? await gate.wait()
            return .number(number + 1, at: SessionTokens.noon)
        }
        let store = MemoryTokenStore(.number(1))
        let provider = RefreshingTokenProvider(store: store, refresher: held, clock: clock)
        await provider.finishRefresh()
        _ = try await provider.currentToken()
        let reader = Task { try await provider.refreshToken(rejecting: Secret("access-1")) }
        try await eventually("it asks") { held.sent.count == 1 }
        let exit = Task { await provider.finishRefresh() }
        try await eventually("both wait") { await provider.waiting == 2 }
        reader.cancel()
        try await eventually("the reader has left") { await provider.waiting == 1 }
        gate.open()
        await exit.value
        #expect(try await store.read()?.access == Secret("access-2"), "the rotated tokens are stored")
    }

    private var single: SessionTokens {
        SessionTokens(
            access: Secret("only"), expiresAt: SessionTokens.noon.addingTimeInterval(900), issuedAt: SessionTokens.noon)
    }

    @Test func `a session without a refresh token is stored, used to its end, and then over`() async throws {
        let directory = try TemporaryDirectory()
        let store = try FileTokenStore(directory: directory.path, recovery: "'shiftlog login' replaces it")
        try await store.withLock { try await store.write(single) }
        #expect(try await store.read() == single)
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        clock.advance(by: .seconds(890))
        #expect(try await provider.currentToken() == Secret("only"))
        clock.advance(by: .seconds(20))
        let error = await #expect(throws: NetworkError.self) { try await provider.currentToken() }
        #expect(error?.problem?.detail?.contains("log in again") == true)
        #expect(try await store.read() == nil && refresher.sent.isEmpty)
    }

    @Test func `a refused token without a refresh token ends its own session only`() async throws {
        let store = MemoryTokenStore(single)
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        _ = try await provider.currentToken()
        var other = single
        other.access = Secret("another")
        try await store.write(other)
        #expect(try await provider.refreshToken(rejecting: Secret("only")) == Secret("another"))
        let error = await #expect(throws: NetworkError.self) {
            try await provider.refreshToken(rejecting: Secret("another"))
        }
        #expect(error?.isUnauthorized == true)
        #expect(try await store.read() == nil)
    }
}
