import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// The offset of the server's clock, and the times that depend on it.
struct ServerClockTests {
    let local = ManualWallClock(SessionTokens.noon)

    /// 2026-11-21T09:00:00Z and `seconds` later, as a header field.
    private func head(_ seconds: Int, _ others: HeaderFields = [:]) -> ResponseHead {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        var headers = others
        headers["Date"] = formatter.string(from: SessionTokens.noon.addingTimeInterval(Double(seconds)))
        return ResponseHead(status: 200, headers: headers)
    }

    @Test(arguments: [3600, -3600, 5, -5, 86_400 * 400])
    func `the offset of a server that is ahead or behind is applied`(seconds: Int) {
        let clock = ServerClock(local)
        let asked = clock.learn(from: head(seconds), askedAt: clock.now)
        #expect(abs(clock.now.timeIntervalSince(SessionTokens.noon) - Double(seconds)) <= 1)
        #expect(asked == clock.now, "no time passed between question and answer")
        local.advance(by: .seconds(60))
        #expect(abs(clock.now.timeIntervalSince(SessionTokens.noon) - Double(seconds + 60)) <= 1)
    }

    @Test(arguments: [0, 1, -1])
    func `a difference within the rounding of the date and the time of the exchange is ignored`(seconds: Int) {
        let clock = ServerClock(local)
        let asked = clock.now
        local.advance(by: .seconds(2))
        #expect(clock.learn(from: head(seconds + 1), askedAt: asked) == asked)
        #expect(clock.offset == 0)
    }

    @Test func `a response without a usable date does not change the offset`() {
        let clock = ServerClock(local)
        for text in ["", "yesterday", "Sat, 21 Foo 2026 10:00:00 GMT", "Sat, 21 Nov 2026 10:00:00 CET", "1795251600"] {
            clock.learn(from: ResponseHead(status: 200, headers: ["Date": text]), askedAt: clock.now)
        }
        clock.learn(from: ResponseHead(status: 200), askedAt: clock.now)
        clock.learn(from: head(3600, ["Age": "3600"]), askedAt: clock.now)
        let asked = clock.now
        local.advance(by: .seconds(31))
        clock.learn(from: head(3600), askedAt: asked)
        #expect(clock.offset == nil)
    }

    @Test func `a stored offset is used until the server's date corrects it`() {
        let clock = ServerClock(local)
        clock.assume(100)
        clock.assume(.nan)
        #expect(clock.offset == 100)
        clock.learn(from: head(500), askedAt: clock.now)
        clock.assume(100)
        #expect(abs((clock.offset ?? 0) - 500) <= 1)
    }

    @Test(arguments: [7200, -7200])
    func `tokens are refreshed in their last minute on the server's clock, in this process and the next`(ahead: Int)
        async throws
    {
        let store = MemoryTokenStore()
        let clock = ServerClock(local)
        let issued = clock.learn(from: head(ahead), askedAt: clock.now)
        let first = RefreshingTokenProvider(store: store, refresher: FakeRefresher { _, _ in .number(2) }, clock: clock)
        try await first.install(.number(1, at: issued))
        let kept = try #require(try await store.read())
        #expect(abs((kept.clockOffset ?? 0) - Double(ahead)) <= 1)
        #expect(try StoredTokens(from: StoredTokens(kept).bytes()).clockOffset == kept.clockOffset)

        let refresher = FakeRefresher { _, _ in .number(2, at: issued.addingTimeInterval(850)) }
        let next = RefreshingTokenProvider(store: store, refresher: refresher, clock: ServerClock(local))
        #expect(try await next.currentToken() == Secret("access-1"))
        local.advance(by: .seconds(830))
        #expect(try await next.currentToken() == Secret("access-1"))
        local.advance(by: .seconds(20))
        #expect(try await next.currentToken() == Secret("access-2"))
        #expect(refresher.sent.count == 1)
    }

    @Test func `a jump of the local clock causes no refresh after the next response of the server`() async throws {
        let clock = ServerClock(local)
        clock.learn(from: head(0), askedAt: clock.now)
        let refresher = FakeRefresher { number, _ in .number(number + 1, at: clock.now) }
        let provider = RefreshingTokenProvider(store: MemoryTokenStore(.number(1)), refresher: refresher, clock: clock)
        local.advance(by: .seconds(86_400))
        clock.learn(from: head(10), askedAt: clock.now)
        #expect(try await provider.currentToken() == Secret("access-1"))
        #expect(refresher.sent.isEmpty)
    }
}
