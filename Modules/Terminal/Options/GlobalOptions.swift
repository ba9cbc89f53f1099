public import ArgumentParser
import StrataSystem

/// The options of every command. `nil` means omitted; the environment or a default then applies.
public struct GlobalOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Address of the server (environment: \(ProgramName.variable("SERVER"))).", valueName: "url"))
    public var server: String?

    @Option(
        help: ArgumentHelp(
            "Name of the profile: tokens, cache and local data of one account (environment: \(ProgramName.variable("PROFILE")); default: default).",
            valueName: "name"))
    public var profile: String?

    @Flag(help: "Print one JSON document instead of text.")
    public var json = false

    @Flag(help: "Show times in UTC instead of local time (environment: TZ).")
    public var utc = false

    @Option(help: ArgumentHelp("Use colour: auto, always or never (environment: NO_COLOR).", valueName: "when"))
    public var color: ColorMode = .auto

    @Flag(name: [.short, .long], help: "Log requests and decisions to standard error.")
    public var verbose = false

    @Option(
        help: ArgumentHelp(
            "Time limit of the whole command in seconds (default: 30 for each request, but none of the whole).",
            valueName: "seconds"))
    public var timeout: Double?

    @Flag(help: "Do not use the network.")
    public var offline = false

    public init() {}

    public func validate() throws {
        if let timeout, !(timeout > 0 && timeout <= Self.longestTimeout) {
            throw ValidationError("--timeout must be more than 0 and at most 86400 seconds; it is \(timeout).")
        }
    }

    /// The time limit of the whole command; `nil` if omitted.
    public var deadline: Duration? { timeout.map { .seconds($0) } }

    /// How times are shown.
    public var times: TimeText { utc ? .utc : .local }

    private static let longestTimeout = 86_400.0
}
