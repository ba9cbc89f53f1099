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
