import FoundationEssentials
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

struct TimeTextTests {
    private let noon = Date.noon

    @Test func `a point in time is printed to the second, in UTC`() {
        #expect(TimeText.utc.point(noon) == "2026-11-21 12:00:00Z")
        #expect(TimeText.utc.point(noon.addingTimeInterval(0.999)) == "2026-11-21 12:00:00Z")
        #expect(TimeText.utc.point(noon.addingTimeInterval(-0.001)) == "2026-11-21 11:59:59Z")
    }

    @Test(arguments: [
        (3600, "2026-11-21 13:00:00+01:00"), (-12_600, "2026-11-21 08:30:00-03:30"), (0, "2026-11-21 12:00:00Z"),
        (45_900, "2026-11-22 00:45:00+12:45"), (3208, "2026-11-21 12:53:00+00:53"),
    ])
    func `a local time has its offset and can be parsed again`(offset: Int, text: String) {
        #expect(TimeText { _ in offset }.point(noon) == text)
        #expect(RFC3339.date(from: text) == noon)
    }

    @Test func `the offset is that of the zone at that time`() {
        let times = TimeText { $0 < 1_790_000_000 ? 7200 : 3600 }
        #expect(times.point(noon).hasSuffix("+01:00"))
        #expect(times.point(Date(timeIntervalSince1970: 1_789_999_999)).hasSuffix("+02:00"))
    }

    @Test(arguments: [-1e300, 1e300, .infinity, -.infinity])
    func `a time outside the calendar is printed as the nearest`(
        seconds: Double
    ) {
        #expect(TimeText { _ in 3600 }.point(Date(timeIntervalSince1970: seconds)).count == 25)
        _ = TimeText.local.point(Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        (0, "0 s"), (12.9, "12 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"),
        (172_799, "47 h"), (172_800, "2 d"), (-50, "0 s"), (1e300, "34722 d"), (.infinity, "34722 d"),
    ])
    func `an age is rounded down to a unit that fits`(seconds: Double, text: String) {
        let date = Date(timeIntervalSince1970: 0)
        #expect(TimeText.age(of: date, at: Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test func `the note about a snapshot has its age, and the reason if it is stale`() {
        let before = noon.addingTimeInterval(-180)
        #expect(SnapshotOrigin.server.note(at: noon) == nil)
        #expect(
            SnapshotOrigin.cache(storedAt: noon.addingTimeInterval(-12)).note(at: noon) == "from the cache, 12 s old")
        #expect(
            SnapshotOrigin.stale(storedAt: before, reason: "server not reachable").note(at: noon)
                == "stale, 3 min old: server not reachable")
    }
}
