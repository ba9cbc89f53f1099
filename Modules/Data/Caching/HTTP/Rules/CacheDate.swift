import FoundationEssentials

/// Times in fields that decide about freshness, read to the letter (RFC 9110, section 5.6.7).
///
/// Stricter than elsewhere in what stands where, because a date that cannot be read makes a response stale, which is the
/// safe side; names may be written in any case, as many caches accept.
enum CacheDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let longDays = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]

    /// - Parameter now: Decides the century of a two-digit year: one more than 50 years ahead is past.
    static func date(_ text: String, now: Date) -> Date? {
        let bytes = Array(text.lowercased().utf8)
        guard bytes.count <= 40 else { return nil }
        let parts = bytes.split(separator: 0x20, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        switch parts.count {
        case 6:  // Sun, 06 Nov 1994 08:49:37 GMT — or asctime with a day of one digit: Sun Nov  6 08:49:37 1994
            if parts[2].isEmpty {
                guard days.contains(parts[0]), parts[3].utf8.count == 1 else { return nil }
                return date(year: parts[5], month: parts[1], day: "0" + parts[3], time: parts[4])
            }
            guard parts[5] == "gmt", days.contains(where: { parts[0] == $0 + "," }) else { return nil }
            return date(year: parts[3], month: parts[2], day: parts[1], time: parts[4])
        case 5:  // Sun Nov 16 08:49:37 1994
            guard days.contains(parts[0]) else { return nil }
            return date(year: parts[4], month: parts[1], day: parts[2], time: parts[3])
        case 4:  // Sunday, 06-Nov-94 08:49:37 GMT
            guard parts[3] == "gmt", longDays.contains(where: { parts[0] == $0 + "," }) else { return nil }
            let date = parts[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard date.count == 3, date[2].utf8.count == 2, let short = date[2].decimal(upTo: 99) else { return nil }
            let thisYear = year(of: now)
            var full = thisYear - thisYear % 100 + short
            if full > thisYear + 50 { full -= 100 }
            return self.date(year: String(full), month: date[1], day: date[0], time: parts[2])
        default: return nil
        }
    }

    private static func date(year: String, month: String, day: String, time: String) -> Date? {
        guard year.utf8.count == 4, let year = year.decimal(upTo: 9999), let month = months.firstIndex(of: month),
            day.utf8.count == 2, let day = day.decimal(upTo: 99), (1...length(ofMonth: month, year: year)).contains(day)
        else { return nil }
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard clock.count == 3, clock.allSatisfy({ $0.utf8.count == 2 }), let hour = clock[0].decimal(upTo: 99),
            let minute = clock[1].decimal(upTo: 99), let second = clock[2].decimal(upTo: 99), hour < 24, minute < 60,
            second <= 60  // a leap second is legal
        else { return nil }
        let seconds = dayNumber(year: year, month: month + 1, day: day) * 86_400 + hour * 3600 + minute * 60 + second
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        if month == 1 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [3, 5, 8, 10].contains(month) ? 30 : 31
    }

    /// Days since 1970-01-01 in the Gregorian calendar; the year is counted from March, so that leap days come last.
    private static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    private static func year(of date: Date) -> Int {
        // 400 years have 146097 days; the remainder of a day around New Year does not matter for a century.
        Int(1970 + (date.timeIntervalSince1970 / (146_097 * 86_400 / 400)).rounded(.down))
    }

    /// As `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ date: Date) -> String {
        let whole = Int(max(-62_135_596_800, min(253_402_300_799, date.timeIntervalSince1970.rounded(.down))))
        let day = (whole - ((whole % 86_400) + 86_400) % 86_400) / 86_400
        let second = whole - day * 86_400
        // From the day number back to a date, years counted from March (inverse of `dayNumber`).
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = (monthFromMarch + 2) % 12
        let year = yearOfEra + era * 400 + (month < 2 ? 1 : 0)
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let two: (Int) -> String = { $0 < 10 ? "0\($0)" : "\($0)" }
        let weekday = days[((day % 7) + 11) % 7]
        return "\(weekday.capitalizedASCII), \(two(dayOfMonth)) \(months[month].capitalizedASCII) "
            + String(repeating: "0", count: max(0, 4 - String(year).count)) + "\(year) "
            + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
    }
}

extension String {
    fileprivate var capitalizedASCII: String { prefix(1).uppercased() + dropFirst() }
}
