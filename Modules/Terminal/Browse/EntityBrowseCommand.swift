public import ArgumentParser
import FoundationEssentials
public import StrataDomain
import StrataSystem

/// `notes browse`: the list on the whole screen.
public struct EntityBrowseCommand<View: EntityView>: EntityCommand {
    public typealias Content = View.Content
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "browse", abstract: "Look through \(Content.plural) on the whole screen.",
            discussion: """
                Search as you type with /, filter by a column with f, read with Enter, add with a, edit with e, settle a conflict with c, \
                leave with q; ? shows all keys. The list stays current, and works without a network. Details are beside the list where \
                there are 100 columns.

                Example: \(ProgramName.current) \(Content.commandName) browse
                """)
    }

    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func validate() throws {
        if options.json { throw ValidationError("browse shows a screen; 'list --json' prints JSON.") }
    }

    /// Until the user leaves it.
    public var timeLimit: Duration? { nil }

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        let list = "'\(ProgramName.current) \(Content.commandName) list'"
        guard console.isInteractive, console.input.isTerminal else {
            throw CommandFailure(
                .usage, "browse needs a terminal for its keys and its screen; \(list) prints the rows.")
        }
        let terminal = ProcessInfo.processInfo.environment["TERM"] ?? ""
        guard !terminal.isEmpty, terminal != "dumb" else {
            throw CommandFailure(
                .usage,
                "The terminal '\(terminal)' (TERM) cannot move its cursor, which browse needs; \(list) prints the rows."
            )
        }
        try await Browser<View>(entities, console, on: SystemScreen(sink: console.output)).run()
    }
}
