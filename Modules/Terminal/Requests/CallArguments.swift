package import ArgumentParser
import StrataDomain

/// The arguments that `request` and `fetch` share.
package struct CallArguments: ParsableArguments, Sendable {
    /// The URL or the path that is called.
    @Argument(help: ArgumentHelp("An absolute URL, or a path of the server.", valueName: "url|path"))
    package var target: String
    /// `--header`: fields of the request, `Name: value`.
    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp("A header field, 'Name: value'; repeatable.", valueName: "field"))
    package var headers: [String] = []
    /// `--retries`: how often a failed request is repeated; `nil` for the default.
    @Option(help: ArgumentHelp("Retries after the first attempt, 0 to 19 (default: 2).", valueName: "n"))
    package var retries: Int?

    package init() {}

    package func validate() throws {
        try RequestArguments.check(target: target)
        _ = try RequestArguments.headers(headers)
        try RequestArguments.check(retries, "--retries", in: 0...19)
    }
}
