public import FoundationEssentials
public import StrataDomain

/// Reads a time as a user writes it, and as tables show it: `2026-11-21 10:05`, `11-21 10:05`, `10:05`, `yesterday`.
public struct TimeInput: Sendable {
    /// For values that the parser of arguments reads. Default: the present time, in the zone of this machine.
    @TaskLocal public static var current = TimeInput()

    /// The forms beside RFC 3339, for help and errors.
    public static let forms =
        "a time like 2026-11-21T09:05:00Z, '2026-11-21 10:05', '11-21 10:05', 10:05, today or yesterday"

    private let clock: any WallClock
    private let times: TimeText

    /// Reads times as `times` writes them, and durations back from now.
    public init(clock: any WallClock = SystemWallClock(), times: TimeText = .local) {
        self.clock = clock
        self.times = times
    }

    /// The present time.
    public var now: Date { clock.now }

    /// The time that `text` names; `nil` for any other text.
    ///
    /// A time without an offset is local. A day without a year is of this year, a time without a day of today, and a day
    /// without a time begins at midnight. Of a time that exists twice, when clocks are set back, the first is meant. A time
    /// that does not exist, when clocks are set forward, is read with the offset before: 02:30 is then 03:30.
    public func date(_ text: String) -> Date? {
        if let date = RFC3339.date(from: text) { return date }
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == " " || $0 == "T" }.map(
            String.init)
        let isTimeOnly = parts.count == 1 && text.contains(":")
        let day = isTimeOnly ? today : parts[0]
        let time = isTimeOnly ? parts[0] : parts.count == 2 ? parts[1] : "00:00"
        guard let wall = RFC3339.date(from: "\(whole(day: day))T\(Self.whole(time: time))Z") else { return nil }
        return date(onTheWall: Int(wall.timeIntervalSince1970))
    }

    /// `11-21` with the year; what is no day stays.
    private func whole(day: String) -> String {
        switch day {
        case "today": today
        case "yesterday": RFC3339.date(from: "\(today)T00:00:00Z").map { Self.day(of: $0 - 86_400, .utc) } ?? day
        default: day.utf8.count == 5 ? "\(today.prefix(4))-\(day)" : day
        }
    }

    /// `9:05` and `09:05` with all digits; what is no time stays.
    private static func whole(time: String) -> String {
        switch time.utf8.count {
        case 4: "0\(time):00"
        case 5: "\(time):00"
        default: time
        }
    }

    private var today: String { Self.day(of: now, times) }

    /// `2026-11-21`, on the clocks of the zone.
    private static func day(of date: Date, _ times: TimeText) -> String { String(times.point(date).prefix(10)) }

    /// - Parameter wall: Seconds from 1970-01-01 00:00 on the clocks of the zone.
    private func date(onTheWall wall: Int) -> Date {
        // No zone changes its offset twice in two days.
        let (before, after) = (wall - times.offset(wall - 86_400), wall - times.offset(wall + 86_400))
        let isLater = times.offset(before) != wall - before && times.offset(after) == wall - after
        return Date(timeIntervalSince1970: Double(isLater ? after : before))
    }
}

extension Console {
    /// Reads times as this console shows them.
    public var timeInput: TimeInput { TimeInput(clock: clock, times: times) }
}
