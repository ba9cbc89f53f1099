import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// A server that refuses each new token at once must not be asked without end.
struct RefreshWindowTests {
    let clock = ManualWallClock(SessionTokens.noon)
    let store = MemoryTokenStore(.number(1))

    private func provider(_ refresher: FakeRefresher, _ window: RefreshWindow?) -> RefreshingTokenProvider {
        RefreshingTokenProvider(store: store, refresher: refresher, clock: clock, window: window)
    }

    private var counting: FakeRefresher { FakeRefresher { [clock] number, _ in .number(number + 1, at: clock.now) } }

    private func refuse(_ token: Secret, _ provider: RefreshingTokenProvider) async -> Result<Secret, NetworkError> {
        await outcome { () throws(NetworkError) in try await provider.refreshToken(rejecting: token) }
    }

    @Test func `without a window any number of refreshes is sent`() async throws {
        let refresher = counting
        let provider = provider(refresher, nil)
        var token = Secret("access-1")
        for _ in 0..<100 { token = try await provider.refreshToken(rejecting: token) }
        #expect(refresher.sent.count == 100)
    }

    @Test func `a window of no attempts refuses the first`() async throws {
        let refresher = counting
        let provider = provider(refresher, RefreshWindow(attempts: 0, interval: .seconds(10)))
        guard case .rateLimited(let wait)? = await refuse(Secret("access-1"), provider).error?.kind else {
            Issue.record("it was sent")
            return
        }
        #expect(wait == .seconds(10))
        #expect(refresher.sent.isEmpty)
        #expect(try await store.read() == .number(1))
    }

    @Test func `all who wait are told when the window is exceeded, and the session stays`() async throws {
        let refresher = counting
        let provider = provider(refresher, RefreshWindow(attempts: 1, interval: .seconds(30)))
        let second = try await provider.refreshToken(rejecting: Secret("access-1"))
        let errors = await withTaskGroup { group in
            for _ in 0..<200 { group.addTask { await refuse(second, provider).error } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.count == 200)
        #expect(errors.allSatisfy { if case .rateLimited? = $0?.kind { true } else { false } })
        #expect(refresher.sent.count == 1)
        #expect(try await provider.currentToken() == second)
    }

    @Test func `a renewal before sending is never refused, for it comes in the second half of a life`() async throws {
        let refresher = counting
        let provider = provider(refresher, RefreshWindow(attempts: 0, interval: .seconds(30)))
        for _ in 0..<20 {
            clock.advance(by: .seconds(850))
            #expect(try await provider.currentToken() != nil)
        }
        #expect(refresher.sent.count == 20)
    }

    @Test func `failed refreshes count as well, and a failure clears nothing`() async throws {
        let clock = clock
        let refresher = FakeRefresher { number, _ throws(NetworkError) in
            guard number == 1 else { throw NetworkError(.server(503, nil)) }
            return .number(2, at: clock.now)
        }
        let provider = provider(refresher, RefreshWindow(attempts: 3, interval: .seconds(30)))
        let second = try await provider.refreshToken(rejecting: Secret("access-1"))
        for _ in 0..<2 { _ = await refuse(second, provider) }
        guard case .rateLimited? = await refuse(second, provider).error?.kind else {
            Issue.record("it was sent")
            return
        }
        #expect(refresher.sent.count == 3)
        clock.advance(by: .seconds(30))
        _ = await refuse(second, provider)
        #expect(refresher.sent.count == 4)
    }
}
