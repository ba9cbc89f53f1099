import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// When a token is refreshed before it is sent, and how long a refresh may take.
struct RenewalTimingTests {
    let clock = ManualWallClock(SessionTokens.noon)

    @Test(arguments: [
        // lifetime, age, whether a refresh is due
        (900, 0, false), (900, 839, false), (900, 840, true), (900, 899, true), (900, 2000, true),
        (60, 29, false), (60, 30, true), (2, 0, false), (2, 1, true), (1, 0, false),
    ])
    func `a refresh is due in the last minute of a token, but never in the first half of its lifetime`(
        life: Int, age: Int, isDue: Bool
    ) {
        let tokens = SessionTokens.number(1, living: .seconds(life))
        #expect(tokens.isDue(at: SessionTokens.noon.addingTimeInterval(Double(age)), skew: .seconds(60)) == isDue)
    }

    @Test func `a refresh of a token of unknown age is due in its last minute`() {
        var tokens = SessionTokens.number(1, living: .seconds(61))
        tokens.issuedAt = nil
        #expect(!tokens.isDue(at: SessionTokens.noon, skew: .seconds(60)))
        #expect(tokens.isDue(at: SessionTokens.noon.addingTimeInterval(1), skew: .seconds(60)))
    }

    @Test func `a token that is about to expire is refreshed once before it is sent`() async throws {
        let refresher = FakeRefresher { number, _ in .number(number + 1, at: SessionTokens.noon.addingTimeInterval(850))
        }
        let store = MemoryTokenStore(.number(1))
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        #expect(try await provider.currentToken() == Secret("access-1"))
        clock.advance(by: .seconds(850))
        let tokens = await withTaskGroup { group in
            for _ in 0..<100 { group.addTask { try? await provider.currentToken() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens.allSatisfy { $0 == Secret("access-2") })
        #expect(refresher.sent.count == 1)
    }

    @Test func `a known token is available without waiting until it is about to expire`() async throws {
        let refresher = FakeRefresher { number, _ in .number(number + 1, at: SessionTokens.noon.addingTimeInterval(840))
        }
        let provider = RefreshingTokenProvider(
            store: MemoryTokenStore(.number(1)), refresher: refresher, clock: clock)
        #expect(provider.tokenAtHand == nil)
        _ = try await provider.currentToken()
        #expect(provider.tokenAtHand == Secret("access-1"))
        clock.advance(by: .seconds(839))
        #expect(provider.tokenAtHand == Secret("access-1"))
        clock.advance(by: .seconds(1))
        #expect(provider.tokenAtHand == nil)
        _ = try await provider.currentToken()
        #expect(provider.tokenAtHand == Secret("access-2"))
    }

    @Test func `no token is available after a logout, and the new one is after a login`() async throws {
        let provider = RefreshingTokenProvider(
            store: MemoryTokenStore(.number(1)), refresher: FakeRefresher { number, _ in .number(number + 1) },
            clock: clock)
        _ = try await provider.currentToken()
        try await provider.logout()
        #expect(provider.tokenAtHand == nil)
        try await provider.install(.number(7))
        #expect(provider.tokenAtHand == Secret("access-7"))
        await provider.endSession()
        #expect(provider.tokenAtHand == nil)
    }

    @Test func `tokens with a lifetime of two seconds are refreshed at most once a second`() async throws {
        let clock = clock
        let refresher = FakeRefresher { number, _ in .number(number + 1, living: .seconds(2), at: clock.now) }
        let store = MemoryTokenStore(.number(1, living: .seconds(2)))
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        for _ in 0..<400 {
            for _ in 0..<3 { #expect(try await provider.currentToken() != nil) }
            clock.advance(by: .milliseconds(250))
        }
        #expect((90...100).contains(refresher.sent.count))
    }

    @Test func `tokens without an issue time get the time of their arrival`() async throws {
        let bare = SessionTokens(
            access: Secret("a"), refresh: Secret("r"), expiresAt: SessionTokens.noon.addingTimeInterval(2))
        let store = MemoryTokenStore()
        let refresher = FakeRefresher { _, _ in bare }
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        try await provider.install(bare)
        #expect(try await store.read()?.issuedAt == SessionTokens.noon)
        #expect(try await provider.currentToken() == Secret("a"))
        #expect(refresher.sent.isEmpty)
    }

    @Test func `a token that is expired on arrival is sent without another refresh`() async throws {
        let clock = clock
        let refresher = FakeRefresher { number, _ in .number(number + 1, living: .seconds(-5), at: clock.now) }
        let provider = RefreshingTokenProvider(
            store: MemoryTokenStore(.number(1, living: .seconds(-5))), refresher: refresher, clock: clock)
        for _ in 0..<10 { #expect(try await provider.currentToken() == Secret("access-1")) }
        #expect(refresher.sent.isEmpty)
        #expect(try await provider.refreshToken(rejecting: Secret("access-1")) == Secret("access-2"))
        for _ in 0..<10 { #expect(try await provider.currentToken() == Secret("access-2")) }
        #expect(refresher.sent.count == 1)
    }

    @Test func `after a failed early refresh the old token is sent until it expires`() async throws {
        let refresher = FakeRefresher { _, _ throws(NetworkError) in throw NetworkError(.offline("no route")) }
        let provider = RefreshingTokenProvider(store: MemoryTokenStore(.number(1)), refresher: refresher, clock: clock)
        clock.advance(by: .seconds(870))
        #expect(try await provider.currentToken() == Secret("access-1"))
        clock.advance(by: .seconds(30))
        let late = await outcome { () throws(NetworkError) in try await provider.currentToken() }
        guard case .offline? = late.error?.kind else {
            Issue.record("\(late)")
            return
        }
        #expect(refresher.sent.count == 2)
    }

    @Test func `a clock that jumps costs one refresh`() async throws {
        let clock = clock
        let refresher = FakeRefresher { number, _ in .number(number + 1, at: clock.now) }
        let provider = RefreshingTokenProvider(store: MemoryTokenStore(.number(1)), refresher: refresher, clock: clock)
        for jump in [86_400, -86_400, -86_400 * 365, 86_400 * 365 * 10] {
            let before = refresher.sent.count
            clock.advance(by: .seconds(jump))
            for _ in 0..<20 { #expect(try await provider.currentToken() != nil) }
            #expect(refresher.sent.count <= before + 1)
        }
    }

    @Test func `a refresh that hangs fails all callers at its deadline, and its late response is stored`() async throws
    {
        let timer = ManualClock()
        let gate = Gate()
        let refresher = FakeRefresher { _, _ in
            await Task { try? await gate.wait() }.value
            return .number(2)
        }
        let store = MemoryTokenStore(.number(1))
        let provider = RefreshingTokenProvider(
            store: store, refresher: refresher, clock: clock, refreshDeadline: .seconds(30), timer: timer)
        let callers = (0..<5).map { _ in Task { try await provider.refreshToken(rejecting: Secret("access-1")) } }
        try await eventually("all wait") { await provider.waiting == 5 && refresher.sent.count == 1 }
        await timer.waitForSleeper(dueIn: .seconds(30)...(.seconds(30)))
        timer.advance(by: .seconds(30))
        for caller in callers {
            let error = await #expect(throws: NetworkError.self) { try await caller.value }
            #expect(error?.kind == .timeout)
        }
        gate.open()
        #expect(try await provider.refreshToken(rejecting: Secret("access-1")) == Secret("access-2"))
        #expect(refresher.sent.count == 1)
    }

    @Test func `a finished refresh leaves no timer`() async throws {
        let timer = ManualClock()
        let provider = RefreshingTokenProvider(
            store: MemoryTokenStore(.number(1)), refresher: FakeRefresher { _, _ in .number(2) }, clock: clock,
            timer: timer)
        _ = try await provider.refreshToken(rejecting: Secret("access-1"))
        try await eventually("the timer is gone") { timer.waits.isEmpty }
    }
}
