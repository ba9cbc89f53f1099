import FoundationEssentials
import StrataConcurrency
import StrataDomain

/// Values of the `Date` field (RFC 9110, section 6.6.1), formatted once a second.
final class ResponseDates: Sendable {
    private let clock: any WallClock
    private let last = Mutex<(second: Int, text: String)>((.min, ""))

    init(clock: any WallClock) { self.clock = clock }

    /// The time now as an IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
    var now: String {
        let second = Int(clock.now.timeIntervalSince1970.rounded(.down))
        return last.withLock { last in
            if last.second != second {
                last = (second, HTTPDate.string(from: Date(timeIntervalSince1970: Double(second))))
            }
            return last.text
        }
    }
}
