import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

struct SessionClockTests {
    private static let noon = Date.noon

    /// - Parameter offset: The server's lead when the tokens were stored, at noon on the server's clock.
    private func offset(_ offset: TimeInterval?, askedAt local: Date) -> TimeInterval? {
        SessionTokens(
            access: Secret("a"), refresh: Secret("r"), expiresAt: Self.noon, issuedAt: Self.noon, clockOffset: offset
        ).clockOffset(at: local)
    }

    @Test(arguments: [0.4, -0.4, 3600, -3600, -315_360_000] as [TimeInterval])
    func `an offset is valid while the clock runs on`(ahead: TimeInterval) {
        let stored = Self.noon.addingTimeInterval(-ahead)
        #expect(offset(ahead, askedAt: stored.addingTimeInterval(60)) == ahead)
        if ahead < 3600 { #expect(offset(ahead, askedAt: stored.addingTimeInterval(86_400)) == ahead) }
    }

    @Test func `an offset is unknown after the clock was set`() {
        let decade = 315_360_000.0
        #expect(offset(-decade, askedAt: Self.noon.addingTimeInterval(60)) == nil, "It was ahead.")
        #expect(offset(decade, askedAt: Self.noon.addingTimeInterval(60)) == nil, "It was behind.")
        #expect(offset(0.1, askedAt: Self.noon.addingTimeInterval(-86_400)) == nil, "It went back a day.")
    }

    @Test func `an offset is unknown without a measurement or its time`() {
        #expect(offset(nil, askedAt: Self.noon) == nil)
        let tokens = SessionTokens(
            access: Secret("a"), refresh: Secret("r"), expiresAt: Self.noon, clockOffset: 5)
        #expect(tokens.clockOffset(at: Self.noon) == nil)
    }
}
