public import ArgumentParser
public import FoundationEssentials
public import StrataDomain

/// A point in time as an argument, in a form that `TimeInput.current` reads.
public struct Moment: Sendable, Hashable, ExpressibleByArgument {
    /// The time.
    public let date: Date

    public init?(argument: String) {
        guard let date = TimeInput.current.date(argument) else { return nil }
        self.date = date
    }
}

extension Identifier: ExpressibleByArgument {
    public init?(argument: String) { self.init(parameter: argument) }
}

extension SyncConflict.Side: ExpressibleByArgument {}

extension HTTPMethod: ExpressibleByArgument {
    public init?(argument: String) {
        guard let method = Self.common.first(where: { $0.rawValue == argument.uppercased() }) else { return nil }
        self = method
    }

    public static var allValueStrings: [String] { common.map(\.rawValue) }
}
