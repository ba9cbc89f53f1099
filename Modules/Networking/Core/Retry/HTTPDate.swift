public import FoundationEssentials
import StrataDomain

/// Times in header fields (RFC 9110, section 5.6.7): IMF-fixdate, and the obsolete RFC 850 and asctime forms that a
/// recipient must accept.
public enum HTTPDate {
    /// - Parameter now: Decides the century of a two-digit year: one that seems more than 50 years ahead is past.
    public static func date(from text: String, now: Date) -> Date? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," })
        switch words.count {
        case 6 where words[5] == "GMT" && isDay(words[0]):  // Sun, 06 Nov 1994 08:49:37 GMT
            return date(year: String(words[3]), month: words[2], day: words[1], time: words[4])
        case 4 where words[3] == "GMT" && longDays.contains(String(words[0])):  // Sunday, 06-Nov-94 08:49:37 GMT
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, let year = century(of: parts[2], now: now) else { return nil }
            return date(year: year, month: parts[1], day: parts[0], time: words[2])
        case 5 where isDay(words[0]):  // Sun Nov  6 08:49:37 1994
            let day = words[2].utf8.count == 1 ? "0\(words[2])" : words[2]
            return date(year: String(words[4]), month: words[1], day: day, time: words[3])
        default: return nil
        }
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static let longDays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    /// The name need not be that of the date: what counts is the date.
    private static func isDay(_ name: Substring) -> Bool { longDays.contains { $0.prefix(3) == name } }

    private static func date(year: String, month: Substring, day: Substring, time: Substring) -> Date? {
        guard let number = months.firstIndex(of: String(month)) else { return nil }
        let padded = number < 9 ? "0\(number + 1)" : "\(number + 1)"
        // A leap second is legal here and unknown to `Date`: it is the moment after.
        let isLeap = time.hasSuffix(":60")
        let shown = isLeap ? "\(time.dropLast(2))59" : String(time)
        return RFC3339.date(from: "\(year)-\(padded)-\(day)T\(shown)Z")?.addingTimeInterval(isLeap ? 1 : 0)
    }

    private static func century(of twoDigits: Substring, now: Date) -> String? {
        guard twoDigits.utf8.count == 2, let short = Int(twoDigits), short >= 0,
            let thisYear = Int(RFC3339.string(from: now).prefix(4))
        else { return nil }
        var year = thisYear - thisYear % 100 + short
        if year > thisYear + 50 { year -= 100 }
        return String(year)
    }
}
