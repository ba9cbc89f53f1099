public import FoundationEssentials

/// Dates in header fields (RFC 9110, section 5.6.7).
public enum HTTPDate {
    /// Reads IMF-fixdate and the obsolete forms of RFC 850 and asctime, which a recipient must accept.
    ///
    /// - Parameters:
    ///   - now: Decides the century of a two-digit year: a year more than 50 years ahead is past.
    ///   - ignoringCase: Whether names of days, months and the zone may be written in any case, as many caches accept.
    /// - Returns: `nil` for any other text, white space at its ends included. The name of the day may be that of another
    ///   day. A leap second is the moment after it.
    public static func date(from text: String, now: Date, ignoringCase: Bool = false) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        let names = Names(ignoresCase: ignoringCase)
        var words = text.split(separator: " ", omittingEmptySubsequences: false)
        // asctime pads a day of one digit with a space: Sun Nov  6 08:49:37 1994
        if words.count == 6, words[2].isEmpty, words[3].utf8.count == 1 {
            words.remove(at: 2)
            words[2] = "0" + words[2]
        }
        switch words.count {
        case 6 where names.isZone(words[5]) && names.isDay(words[0], length: 3, end: ","):
            // Sun, 06 Nov 1994 08:49:37 GMT
            return date(year: words[3], month: names.month(words[2]), day: words[1], time: words[4])
        case 5 where names.isDay(words[0], length: 3, end: ""):
            // Sun Nov 16 08:49:37 1994
            return date(year: words[4], month: names.month(words[1]), day: words[2], time: words[3])
        case 4 where names.isZone(words[3]) && names.isDay(words[0], length: .max, end: ","):
            // Sunday, 06-Nov-94 08:49:37 GMT
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, let year = century(of: parts[2], now: now) else { return nil }
            return date(year: year, month: names.month(parts[1]), day: parts[0], time: words[2])
        default: return nil
        }
    }

    /// Writes IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`, without the fraction of the second.
    ///
    /// - Parameter date: One outside of the years 0000 to 9999 counts as the nearest within.
    public static func string(from date: Date) -> String {
        let seconds = Int(min(max(date.timeIntervalSince1970.rounded(.down), -62_167_219_200), 253_402_300_799))
        let (number, second) = seconds.quotientAndRemainder(flooringBy: 86_400)
        let (year, month, day) = GregorianDay.date(ofNumber: number)
        let weekday = Names.days[(number + 4).quotientAndRemainder(flooringBy: 7).remainder].prefix(3)
        let time = [second / 3600, second / 60 % 60, second % 60].map { digits($0, 2) }.joined(separator: ":")
        return "\(weekday), \(digits(day, 2)) \(Names.months[month - 1]) \(digits(year, 4)) \(time) GMT"
    }

    private static func date(year: Substring, month: Int?, day: Substring, time: Substring) -> Date? {
        guard let year = number(year, digits: 4), let month, let day = number(day, digits: 2),
            (1...GregorianDay.count(inMonth: month, of: year)).contains(day)
        else { return nil }
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], digits: 2), let minute = number(clock[1], digits: 2),
            let second = number(clock[2], digits: 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = GregorianDay.number(year: year, month: month, day: day)
        return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
    }

    private static func century(of text: Substring, now: Date) -> Substring? {
        guard let short = number(text, digits: 2) else { return nil }
        let day = Int((now.timeIntervalSince1970 / 86_400).rounded(.down))
        let thisYear = GregorianDay.date(ofNumber: day).year
        let year = thisYear - thisYear % 100 + short
        return Substring(String(year > thisYear + 50 ? year - 100 : year))
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        text.utf8.count == digits ? text.decimal() : nil
    }

    private static func digits(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: width - text.utf8.count) + text
    }
}

/// The names that stand in a date.
private struct Names {
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    let ignoresCase: Bool

    /// - Parameter length: Letters of the name that are written.
    func isDay(_ text: Substring, length: Int, end: String) -> Bool {
        Self.days.contains { isSame(text, String($0.prefix(length)) + end) }
    }

    /// 1 to 12.
    func month(_ text: Substring) -> Int? { Self.months.firstIndex { isSame(text, $0) }.map { $0 + 1 } }

    func isZone(_ text: Substring) -> Bool { isSame(text, "GMT") }

    private func isSame(_ text: Substring, _ name: String) -> Bool {
        ignoresCase ? String(text).equalsIgnoringCase(name) : text == name
    }
}
