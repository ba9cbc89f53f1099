import FoundationEssentials
import StrataDomain

/// IMF-fixdate, the form in which dates are sent (RFC 9110, section 5.6.7).
enum IMFDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    static func text(_ date: Date) -> String {
        // 1994-11-06T08:49:37Z, with a fraction or without.
        let parts = RFC3339.string(from: date).split { "-T:.Z".contains($0) }
        guard parts.count >= 6, let month = Int(parts[1]), months.indices.contains(month - 1) else { return "" }
        let day = Int((date.timeIntervalSince1970 / 86_400).rounded(.down)) % 7
        return
            "\(days[(day + 7) % 7]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
    }
}
