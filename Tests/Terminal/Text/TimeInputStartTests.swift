import FoundationEssentials
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

@Suite struct `How far back` {
    private let now = Date.noon
    private var times: TimeInput { TimeInput(clock: ManualWallClock(now), times: .utc) }

    @Test(arguments: [
        ("30m", 1800), ("12h", 43_200), ("2d", 172_800), ("1w", 604_800), ("45s", 45), ("0h", 0), ("007m", 420),
        ("36600d", 36_600 * 86_400),
    ])
    func `a span counts from now`(text: String, seconds: Int) throws {
        #expect(try times.start(text) == now.addingTimeInterval(-Double(seconds)))
    }

    @Test func `a given time is taken as it stands`() throws {
        #expect(try times.start("2025-12-24T18:00:00+01:00") == RFC3339.date(from: "2025-12-24T17:00:00Z"))
        #expect(try times.start("10:05") == RFC3339.date(from: "2026-11-21T10:05:00Z"))
    }

    @Test(arguments: [
        "", "h", "12", "12 h", "-1h", "+1h", "1.5h", "12H", "1y", "h12", "tomorrow", "１２h", "99999999999999999999d",
        "36601d", "2026-13-01", "1h\n", "1hé",
    ])
    func `a text that is neither span nor time is refused with an example`(text: String) {
        #expect(throws: DomainError.self) { try times.start(text) }
    }
}
