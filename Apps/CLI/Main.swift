import ArgumentParser
import FoundationEssentials
import StrataSystem
import StrataTerminal

/// `shiftlog`: parse, wire, run, exit.
@main struct Main {
    static func main() async {
        CoreDumps.forbid()
        Interrupt.endsProcess()
        // Otherwise the backtracer of the toolchain swallows the first Ctrl-\.
        signal(SIGQUIT, SIG_DFL)
        // With standard input closed, the next file to be opened would take its number.
        if !FileDescriptor.standardInput.isOpen { _ = try? openFile("/dev/null", O_RDONLY) }
        Console.ignoreBrokenPipe()
        let given = GlobalOptions.negativeNumbersJoined(Array(CommandLine.arguments.dropFirst()))
        let arguments = GlobalOptions.movedToTheEnd(given)
        do {
            var command = try command(of: arguments)
            guard let command = command as? any ConsoleCommand else {
                // A group without a subcommand, or `help`: the parser's own answer.
                try command.run()
                return
            }
            exit(await run(command).rawValue)
        } catch {
            let isJSON = arguments.prefix { $0 != "--" }.contains("--json")
            let console = Console(json: isJSON, environment: ProcessInfo.processInfo.environment)
            exit(console.answer(error, of: Shiftlog.self, to: arguments).rawValue)
        }
    }

    /// Parses with the named command alone, which is faster than with the tree of all commands. The tree parses the rest:
    /// help, and arguments that the command rejects.
    ///
    /// Times among the arguments are read as the command will show times.
    static func command(of arguments: [String]) throws -> any ParsableCommand {
        let isUTC = arguments.prefix { $0 != "--" }.contains("--utc")
        IDCandidates.find { Wiring.candidates($0, $1) }
        return try TimeInput.$current.withValue(TimeInput(times: isUTC ? .utc : .local)) { try parsed(arguments) }
    }

    private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        var type: any ParsableCommand.Type = Shiftlog.self
        var rest = arguments[...]
        while let name = rest.first,
            let next = type.configuration.subcommands.first(where: { $0.configuration.commandName == name })
        {
            (type, rest) = (next, rest.dropFirst())
        }
        // Help is parsed as another command.
        if type.configuration.subcommands.isEmpty, let command = try? type.parseAsRoot(Array(rest)),
            Swift.type(of: command) == type
        {
            return command
        }
        return try Shiftlog.parseAsRoot(arguments)
    }

    private static func run(_ command: any ConsoleCommand) async -> ExitStatus {
        let environment = ProcessInfo.processInfo.environment
        let console = Console(
            json: command.options.json, color: command.options.color, environment: environment,
            times: command.options.times)
        let interrupt = Interrupt()
        // Starts on this thread, so that a command that answers from this machine switches threads as little as possible.
        let work = Task.immediate { @MainActor in
            do {
                let settings = try Settings(command.options, environment: environment)
                return try await withCommandLimit(command.timeLimit) {
                    try await Dispatcher.run(command, settings, console)
                }
            } catch {
                return console.fail(error)
            }
        }
        interrupt.cancels(work)
        return await work.value
    }
}
