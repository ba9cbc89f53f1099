import ArgumentParser
package import StrataDomain

/// `--refresh` of commands that read the cache.
package struct ReadingOption: ParsableArguments, Sendable {
    /// `--refresh`: asks the server, even if a stored value is fresh.
    @Flag(help: "Ask the server even if the stored copy is fresh.")
    package var refresh = false

    package init() {}

    /// How a read may use the cache.
    package func policy(_ options: GlobalOptions) -> ReadPolicy {
        options.offline ? .cacheOnly : refresh ? .refresh : .cacheFirst
    }

    /// - Throws: A usage error for `--refresh` with `--offline`.
    package func check(_ options: GlobalOptions) throws {
        if refresh, options.offline { throw ValidationError("--refresh needs the network, which --offline forbids.") }
    }
}
