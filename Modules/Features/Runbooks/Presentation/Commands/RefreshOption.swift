import ArgumentParser
import StrataDomain
import StrataTerminal

/// `--refresh`, where a kept answer would do.
struct RefreshOption: ParsableArguments {
    @Flag(help: "Ask the server even if the stored copy is fresh.")
    var refresh = false

    /// How a read may use what is kept.
    func policy(_ options: GlobalOptions) -> ReadPolicy {
        options.offline ? .cacheOnly : refresh ? .refresh : .cacheFirst
    }

    /// - Throws: A usage error when the network is asked for and forbidden at once.
    func check(_ options: GlobalOptions) throws {
        if refresh, options.offline { throw ValidationError("--refresh needs the network, which --offline forbids.") }
    }
}
