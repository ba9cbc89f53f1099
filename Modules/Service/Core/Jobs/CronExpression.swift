import FoundationEssentials
import StrataHTTP

/// Times as five fields in UTC, as in crontab(5): minute, hour, day of the month, month, day of the week.
///
/// A field is `*`, a number, a range `1-5`, a list `1,15`, or a step `*/15` or `8-18/2`. Months and days of the week have English names
/// of three letters; Sunday is 0 or 7. When both fields of days are restricted, a day of either counts. UTC has no summer time, so no
/// time is skipped and none comes twice.
struct CronExpression: Sendable, Hashable, CustomStringConvertible {
    let description: String
    private let minutes: CronField, hours: CronField, days: CronField, months: CronField, weekdays: CronField

    private static let monthNames = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    /// Days in which every possible date comes: 29 February of 2096 and of 2104 are 2,921 days apart.
    private static let horizon = 2_930

    /// - Throws: `CronError` naming the field, or for a date that never comes, such as 30 February.
    init(_ text: String) throws(CronError) {
        let fields = text.split { $0 == " " || $0 == "\t" }
        guard fields.count == 5 else { throw CronError("'\(text.prefix(100))' has \(fields.count) fields") }
        description = fields.joined(separator: " ")
        minutes = try CronField(fields[0], "minute", 0...59)
        hours = try CronField(fields[1], "hour", 0...23)
        days = try CronField(fields[2], "day of the month", 1...31)
        months = try CronField(fields[3], "month", 1...12, names: Self.monthNames)
        weekdays = try CronField(fields[4], "day of the week", 0...7, names: Self.weekdayNames)
        guard next(after: Date(timeIntervalSince1970: 0)) != nil else {
            throw CronError("'\(text.prefix(100))' names a date that never comes")
        }
    }

    /// The first time after `date`, at second 0; `nil` for a date further than a million years from 1970.
    func next(after date: Date) -> Date? {
        let last = (date.timeIntervalSince1970 / 60).rounded(.down)
        guard last.magnitude < 5e11 else { return nil }
        let start = Int(last) + 1
        var day = Int((Double(start) / 1440).rounded(.down))
        var begin = start - day * 1440
        for _ in 0..<Self.horizon {
            if contains(day), let minute = minute(from: begin) {
                return Date(timeIntervalSince1970: Double(day * 1440 + minute) * 60)
            }
            day += 1
            begin = 0
        }
        return nil
    }

    /// The first minute of a day from `begin` on, counted from midnight.
    private func minute(from begin: Int) -> Int? {
        for hour in begin / 60..<24 where hours.contains(hour) {
            let first = hour == begin / 60 ? begin % 60 : 0
            if let minute = (first..<60).first(where: minutes.contains) { return hour * 60 + minute }
        }
        return nil
    }

    private func contains(_ day: Int) -> Bool {
        let date = GregorianDay.date(ofNumber: day)
        guard months.contains(date.month) else { return false }
        let isDay = days.contains(date.day)
        // 1970-01-01 was a Thursday.
        let weekday = (day + 4).quotientAndRemainder(flooringBy: 7).remainder
        let isWeekday = weekdays.contains(weekday) || weekday == 0 && weekdays.contains(7)
        return days.isStar || weekdays.isStar ? isDay && isWeekday : isDay || isWeekday
    }
}

/// A cron expression that cannot be read.
public struct CronError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ fault: String) {
        description =
            "\(fault). Write minute, hour, day of the month, month and day of the week, such as '*/15 8-18 * * mon-fri', in UTC."
    }

    init(_ field: String, _ part: String, _ range: ClosedRange<Int>) {
        self.init(
            "'\(part.prefix(40))' is no \(field): it has the numbers \(range.lowerBound) to \(range.upperBound)")
    }
}
