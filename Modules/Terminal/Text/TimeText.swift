public import FoundationEssentials
import StrataDomain

/// Times and periods for people.
public enum TimeText {
    /// `2026-11-21 09:05:00Z`, to the second, in UTC as in every log of the fleet.
    public static func point(_ date: Date) -> String {
        // RFC 3339 in UTC: ten characters of date, `T`, eight of time.
        let text = RFC3339.string(from: Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)))
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))Z"
    }

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
}
