public import ArgumentParser
public import StrataDomain

/// `--refresh`, where what is kept would do.
public struct ReadingOption: ParsableArguments, Sendable {
    @Flag(help: "Ask the server even if the stored copy is fresh.")
    public var refresh = false

    public init() {}

    /// How a read may use what is kept.
    public func policy(_ options: GlobalOptions) -> ReadPolicy {
        options.offline ? .cacheOnly : refresh ? .refresh : .cacheFirst
    }

    /// - Throws: A usage error when the network is asked for and forbidden at once.
    public func check(_ options: GlobalOptions) throws {
        if refresh, options.offline { throw ValidationError("--refresh needs the network, which --offline forbids.") }
    }
}
