public import FoundationEssentials
import StrataDomain
import StrataSystem

/// Times and durations as readable text, in one time zone.
///
/// Uses the time zones of the C library: Foundation's calendar adds milliseconds to the start of a command.
public struct TimeText: Sendable {
    /// Seconds east of UTC, at a time in seconds since 1970.
    let offset: @Sendable (Int) -> Int

    /// - Parameter offset: Seconds east of UTC, at a time in seconds since 1970.
    public init(offset: @escaping @Sendable (Int) -> Int) { self.offset = offset }

    /// Times in UTC.
    public static let utc = TimeText { _ in 0 }

    /// In the zone of this machine: `TZ`, else `/etc/localtime` (tzset(3)). A zone that is not in the database is UTC.
    public static let local = TimeText { seconds in
        var (time, fields) = (time_t(seconds), tm())
        return localtime_r(&time, &fields) == nil ? 0 : fields.tm_gmtoff
    }

    /// `2026-11-21 10:05:00+01:00`, to the second; `2026-11-21 09:05:00Z` in UTC. Either is RFC 3339 and can be given back
    /// as an argument.
    public func point(_ date: Date) -> String {
        let (text, minutes) = wall(date)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))\(Self.zone(minutes))"
    }

    /// `11-21 10:05`, for a column; with the year `2026-11-21 10:05`.
    func short(_ date: Date, withYear: Bool) -> String {
        let text = wall(date).text
        return "\(text.prefix(10).dropFirst(withYear ? 0 : 5)) \(text.dropFirst(11).prefix(5))"
    }

    /// `10:05:00`.
    func clock(_ date: Date) -> String { String(wall(date).text.dropFirst(11).prefix(8)) }

    func year(_ date: Date) -> String { String(wall(date).text.prefix(4)) }
    func isUTC(_ date: Date) -> Bool { wall(date).minutes == 0 }

    /// `12 s`, `3 min`, `5 h`, `8 d`, rounded down; a time in the future counts as `0 s`.
    public static func age(of date: Date, at now: Date) -> String {
        let seconds = max(0, min(now.timeIntervalSince(date), 3e9))
        return switch seconds {
        case ..<120: "\(Int(seconds)) s"
        case ..<7200: "\(Int(seconds / 60)) min"
        case ..<172_800: "\(Int(seconds / 3600)) h"
        default: "\(Int(seconds / 86_400)) d"
        }
    }

    /// The time on the wall as RFC 3339 would write it for UTC, and how many minutes it is ahead of UTC.
    private func wall(_ date: Date) -> (text: String, minutes: Int) {
        let seconds = max(-62_167_219_200, min(date.timeIntervalSince1970.rounded(.down), 253_402_300_799))
        // Offsets of the 19th century have seconds, which RFC 3339 cannot write.
        let minutes = offset(Int(seconds)) / 60
        return (RFC3339.string(from: Date(timeIntervalSince1970: seconds + Double(minutes * 60))), minutes)
    }

    private static func zone(_ minutes: Int) -> String {
        if minutes == 0 { return "Z" }
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let size = abs(minutes)
        return "\(minutes < 0 ? "-" : "+")\(digits(size / 60)):\(digits(size % 60))"
    }
}
