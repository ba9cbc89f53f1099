import FoundationEssentials
import StrataDomain

/// Wall-clock times of one time zone as dates, without a formatter, since logs have a time on every line.
///
/// A time that the clock skipped or showed twice gets the same date on every reading.
struct LocalTime: Sendable {
    private let timeZone: TimeZone
    /// Offsets already asked for, by the quarter of an hour: a log stays in the same few for thousands of lines.
    private var known: [Int: Int] = [:]

    init(_ timeZone: TimeZone) { self.timeZone = timeZone }

    /// - Parameters:
    ///   - day: `2026-01-01`.
    ///   - time: `10:00:00`.
    /// - Returns: `nil` for anything that is no such time.
    mutating func date(day: String, time: String) -> Date? {
        guard let universal = RFC3339.date(from: "\(day)T\(time)Z") else { return nil }
        let guess = offset(at: universal)
        let offset = offset(at: universal.addingTimeInterval(-Double(guess)))
        return universal.addingTimeInterval(-Double(offset))
    }

    private mutating func offset(at date: Date) -> Int {
        // Zones change their offset on the quarter of an hour at the finest.
        let quarter = Int((date.timeIntervalSince1970 / 900).rounded(.down))
        if let offset = known[quarter] { return offset }
        if known.count > 1000 { known.removeAll(keepingCapacity: true) }
        let offset = timeZone.secondsFromGMT(for: date)
        known[quarter] = offset
        return offset
    }
}
