import FoundationEssentials
import StrataConcurrency
import StrataDomain

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Values of the `Date` field (RFC 9110, section 6.6.1), each written once for its second.
final class ResponseDates: Sendable {
    private let clock: any WallClock
    private let last = Mutex<(second: Int, text: String)>((.min, ""))

    init(clock: any WallClock) { self.clock = clock }

    /// The time now as an IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
    var now: String {
        let second = Int(clock.now.timeIntervalSince1970.rounded(.down))
        return last.withLock { last in
            if last.second != second { last = (second, Self.text(second)) }
            return last.text
        }
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func text(_ second: Int) -> String {
        var time = time_t(second)
        var parts = tm()
        gmtime_r(&time, &parts)
        func digits(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        return "\(days[Int(parts.tm_wday)]), \(digits(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(parts.tm_year + 1900) \(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec)) GMT"
    }
}
