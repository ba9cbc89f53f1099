public import ArgumentParser
public import FoundationEssentials
import StrataDomain

/// A point in time as an argument: RFC 3339, `2026-11-21T09:05:00Z`.
public struct Moment: Sendable, Hashable, ExpressibleByArgument {
    public let date: Date

    public init?(argument: String) {
        guard let date = RFC3339.date(from: argument) else { return nil }
        self.date = date
    }
}

/// A start of a period as an argument: so long ago (`90s`, `15m`, `12h`, `7d`, `2w`), or an RFC 3339 time.
public enum Since: Sendable, Hashable, ExpressibleByArgument {
    /// Seconds before now, at most 100 years.
    case ago(Int)
    case time(Date)

    public init?(argument: String) {
        if let date = RFC3339.date(from: argument) {
            self = .time(date)
            return
        }
        guard let unit = argument.last, let seconds = Self.seconds[unit],
            argument.dropLast().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int(argument.dropLast())
        else { return nil }
        let (total, overflow) = count.multipliedReportingOverflow(by: seconds)
        guard !overflow, total <= Self.longest else { return nil }
        self = .ago(total)
    }

    public func date(before now: Date) -> Date {
        switch self {
        case .ago(let seconds): now.addingTimeInterval(-Double(seconds))
        case .time(let date): date
        }
    }

    private static let seconds: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    private static let longest = 3_155_760_000
}
