import FoundationEssentials
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

struct TimeInputTests {
    /// It is 2026-11-21 13:00 in a zone one hour ahead of UTC.
    private let input = TimeInput(clock: ManualWallClock(.noon), times: TimeText { _ in 3600 })

    private func text(_ date: Date?) -> String? { date.map { RFC3339.string(from: $0) } }

    @Test(arguments: [
        ("2026-11-23T10:00", "2026-11-23T09:00:00.000Z"), ("2026-11-23 10:00", "2026-11-23T09:00:00.000Z"),
        ("2026-11-23 10:00:07", "2026-11-23T09:00:07.000Z"), ("11-23 22:22", "2026-11-23T21:22:00.000Z"),
        ("2026-11-23", "2026-11-22T23:00:00.000Z"), ("11-23", "2026-11-22T23:00:00.000Z"),
        ("10:00", "2026-11-21T09:00:00.000Z"), ("9:05", "2026-11-21T08:05:00.000Z"),
        ("today", "2026-11-20T23:00:00.000Z"), ("yesterday", "2026-11-19T23:00:00.000Z"),
        ("yesterday 10:00", "2026-11-20T09:00:00.000Z"), ("2028-02-29 00:00", "2028-02-28T23:00:00.000Z"),
        ("2026-11-23T10:00:00Z", "2026-11-23T10:00:00.000Z"),
        ("2026-11-23 10:00:00+02:00", "2026-11-23T08:00:00.000Z"), ("1969-12-31 23:00", "1969-12-31T22:00:00.000Z"),
    ])
    func `a time without an offset is local`(given: String, time: String) {
        #expect(text(input.date(given)) == time)
    }

    @Test(arguments: [
        "", " ", "T", "12h", "24:00", "10:60", "10", "1000", "10:0", "2026-13-01", "2026-02-29", "02-30", "0-1",
        "2026-11-23 ", " 10:00", "2026-11-23  10:00", "2026-11-23T", "tomorrow", "Today", "10:00 yesterday", "-1:00",
        "１０:００", "2026-11-23 10:00 CET", "11-23-2026",
    ])
    func `any other text is no time`(given: String) {
        #expect(input.date(given) == nil)
    }

    @Test func `a day begins where the clock on the wall says so`() {
        let late = ManualWallClock(RFC3339.date(from: "2026-11-21T23:30:00Z") ?? .noon)
        #expect(text(TimeInput(clock: late, times: .utc).date("today")) == "2026-11-21T00:00:00.000Z")
        let ahead = TimeInput(clock: late, times: TimeText { _ in 3600 })
        #expect(text(ahead.date("today")) == "2026-11-21T23:00:00.000Z")
    }

    /// Central European time: clocks go from 02:00 to 03:00 on 2026-03-29, and from 03:00 to 02:00 on 2026-10-25.
    private var berlin: TimeInput {
        TimeInput(
            clock: ManualWallClock(.noon),
            times: TimeText { (1_774_746_000..<1_792_890_000).contains($0) ? 7200 : 3600 })
    }

    @Test(arguments: [
        ("2026-03-29 01:59", "2026-03-29T00:59:00.000Z"), ("2026-03-29 02:30", "2026-03-29T01:30:00.000Z"),
        ("2026-03-29 03:00", "2026-03-29T01:00:00.000Z"), ("2026-03-30 02:30", "2026-03-30T00:30:00.000Z"),
        ("2026-10-25 01:59", "2026-10-24T23:59:00.000Z"), ("2026-10-25 02:30", "2026-10-25T00:30:00.000Z"),
        ("2026-10-25 03:00", "2026-10-25T02:00:00.000Z"), ("2026-10-26 02:30", "2026-10-26T01:30:00.000Z"),
    ])
    func `a time that does not exist is moved on, and of one that exists twice the first is meant`(
        given: String, time: String
    ) {
        #expect(text(berlin.date(given)) == time)
    }

    @Test func `yesterday is the day before, also after a day of 23 hours`() {
        let early = ManualWallClock(RFC3339.date(from: "2026-03-29T22:30:00Z") ?? .noon)
        let times = TimeText { $0 < 1_774_746_000 ? 3600 : 7200 }
        #expect(text(TimeInput(clock: early, times: times).date("yesterday")) == "2026-03-28T23:00:00.000Z")
    }

    @Test func `what a table or a field shows is read as the same minute`() {
        for offset in [0, 3600, -12_600, 45_900] {
            let times = TimeText { _ in offset }
            let input = TimeInput(clock: ManualWallClock(.noon), times: times)
            let shown = times.point(.noon)
            #expect(input.date(shown) == .noon)
            #expect(input.date(String(shown.prefix(16))) == .noon)
        }
    }
}
