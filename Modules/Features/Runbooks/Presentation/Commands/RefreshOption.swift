import ArgumentParser
import StrataDomain
import StrataTerminal

/// `--refresh`: reads from the server instead of the cache.
struct RefreshOption: ParsableArguments {
    @Flag(help: "Ask the server even if the stored copy is fresh.")
    var refresh = false

    /// How a read may use the cache.
    func policy(_ options: GlobalOptions) -> ReadPolicy {
        options.offline ? .cacheOnly : refresh ? .refresh : .cacheFirst
    }

    /// - Throws: A usage error for `--refresh` with `--offline`.
    func check(_ options: GlobalOptions) throws {
        if refresh, options.offline { throw ValidationError("--refresh needs the network, which --offline forbids.") }
    }
}
