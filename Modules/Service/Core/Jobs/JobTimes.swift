public import FoundationEssentials
import StrataSystem

/// When a function runs: at an interval, at the times of a cron expression, or once.
public struct JobTimes: Sendable, Hashable {
    private enum Form: Hashable {
        case every(Duration)
        case cron(CronExpression)
        case once(Date)
    }

    private let form: Form

    /// At whole multiples of `interval` since 1970-01-01T00:00:00Z, so that replicas and restarts agree: every 15 minutes means
    /// at 0, 15, 30 and 45 minutes past the hour.
    ///
    /// - Parameter interval: At least 1 second; less counts as 1 second.
    public static func every(_ interval: Duration) -> JobTimes { JobTimes(form: .every(max(interval, .seconds(1)))) }

    /// At the times of five fields in UTC, as in crontab(5): minute, hour, day of the month, month, day of the week.
    ///
    /// - Throws: `CronError` naming the field.
    public static func cron(_ text: String) throws(CronError) -> JobTimes {
        JobTimes(form: .cron(try CronExpression(text)))
    }

    /// Once, at `date` or at the first start after it. The name of the function is remembered, so it does not run again.
    public static func once(at date: Date) -> JobTimes { JobTimes(form: .once(date)) }

    /// The first time, for a database that does not know the function. One that has passed is due at once.
    func first(at now: Date) -> Date? {
        if case .once(let date) = form { date } else { next(after: now) }
    }

    /// The next time after `now`; `nil` for none.
    func next(after now: Date) -> Date? {
        switch form {
        case .every(let interval):
            let seconds = interval.inSeconds
            return Date(timeIntervalSince1970: ((now.timeIntervalSince1970 / seconds).rounded(.down) + 1) * seconds)
        case .cron(let expression): return expression.next(after: now)
        case .once(let date): return date > now ? date : nil
        }
    }

    /// Tells a changed schedule from the one in the database.
    var text: String {
        switch form {
        case .every(let interval): "every \(interval.inSeconds) s"
        case .cron(let expression): "cron \(expression)"
        case .once(let date): "once at \(Int(date.timeIntervalSince1970 * 1000)) ms"
        }
    }
}
