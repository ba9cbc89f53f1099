public import ArgumentParser
import StrataSystem

/// The options of every command. `nil` means omitted; the environment or a default then applies.
public struct GlobalOptions: ParsableArguments, Sendable {
    /// `--server`: the URL of the server; `nil` for that of the settings.
    @Option(
        help: ArgumentHelp(
            "Address of the server (environment: \(ProgramName.variable("SERVER"))).", valueName: "url"))
    public var server: String?

    /// `--profile`: the profile; `nil` for that of the settings.
    @Option(
        help: ArgumentHelp(
            "Name of the profile: tokens, cache and local data of one account (environment: \(ProgramName.variable("PROFILE")); default: default).",
            valueName: "name"), completion: .candidates(.profiles))
    public var profile: String?

    /// `--json`: output for programs.
    @Flag(help: "Print one JSON document instead of text.")
    public var json = false

    /// `--utc`: times in UTC.
    @Flag(help: "Show times in UTC instead of local time (environment: TZ).")
    public var utc = false

    /// `--color`: when the output has colours.
    @Option(help: ArgumentHelp("Use colour: auto, always or never (environment: NO_COLOR).", valueName: "when"))
    public var color: ColorMode = .auto

    /// `--verbose`: shows what is logged.
    @Flag(name: [.short, .long], help: "Log requests and decisions to standard error.")
    public var verbose = false

    /// `--timeout`: seconds after which a call ends; `nil` for the default.
    @Option(
        help: ArgumentHelp(
            "Time limit of the whole command in seconds (default: 30 for each request, but none of the whole).",
            valueName: "seconds"))
    public var timeout: Double?

    /// `--offline`: sends nothing.
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
