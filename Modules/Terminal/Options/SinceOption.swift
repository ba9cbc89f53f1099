public import ArgumentParser
public import FoundationEssentials
public import StrataDomain

/// `--since 12h`.
public struct SinceOption: ParsableArguments, Sendable {
    /// `--since`: a time, or how long ago.
    @Option(help: ArgumentHelp("Only what happened since then: \(TimeInput.startForms).", valueName: "time"))
    public var since: String?

    public init() {}

    public func validate() throws {
        // Whether it can be read does not depend on the time.
        do { _ = try date(TimeInput.current) } catch { throw ValidationError(error.description) }
    }

    /// `nil` without the option.
    public func date(_ times: TimeInput) throws(DomainError) -> Date? {
        guard let since else { return nil }
        return try times.start(since)
    }
}
