import AccountsDomain
import AccountsPresentation
import ArgumentParser
import FoundationEssentials
import StrataSystem
import StrataTerminal

/// The command line of a service: parses the arguments, connects the objects of the command, runs it, and ends the process.
///
///     await ClientProgram(
///         name: "tides", release: "1.2.0", abstract: "Tide levels.", defaultServer: "https://tides.example",
///         commands: CommandSet.all, synchronised: Synchronised.all
///     ).run()
public struct ClientProgram: Sendable {
    let name: String
    let release: String
    let defaultServer: String
    /// The folder of the offline stores, and their line in `status`.
    let localData: String
    /// What users may be, besides members and administrators.
    let roles: [String]
    let commands: [CommandSet]
    let synchronised: [Synchronised]
    /// Of the tree of commands.
    let root: CommandConfiguration

    /// Only states the program; `run` reads the arguments.
    ///
    /// - Parameters:
    ///   - name: As users type it. Variables, folders, logs and messages carry it: `tides` reads `TIDES_SERVER` and `.config/tides`.
    ///   - release: The version, for `--version` and `User-Agent`.
    ///   - abstract: The first line of the help.
    ///   - defaultServer: The server without a setting. Default: port 8080 of this machine.
    ///   - localData: The folder of the offline stores below the state of the program. Default: `offline`.
    ///   - roles: The service's own roles, for `users --role`: the raw values of its `ServiceRole`. Default: none.
    ///   - commands: In the order of the help; `completion` follows.
    ///   - synchronised: The collections that work offline. Default: none.
    public init(
        name: String, release: String, abstract: String, defaultServer: String = "http://127.0.0.1:8080",
        localData: String = "offline", roles: [String] = [], commands: [CommandSet], synchronised: [Synchronised] = []
    ) {
        self.name = name
        self.release = release
        self.defaultServer = defaultServer
        self.localData = localData
        self.roles = roles
        self.commands = commands
        self.synchronised = synchronised
        root = CommandConfiguration(of: name, release, abstract, commands)
    }

    /// What `User-Agent` says.
    var userAgent: String { "\(name)/\(release)" }

    /// The environment variable of a setting: `TIDES_SERVER` for `SERVER`.
    func variable(_ setting: String) -> String { ProgramName.variable(setting, of: name) }

    /// Runs the command that the arguments of the process name, and ends the process with its status. Returns only after output of the
    /// parser, such as the help of a group.
    public func run() async {
        CoreDumps.forbid()
        Interrupt.endsProcess()
        // Otherwise the backtracer of the toolchain swallows the first Ctrl-\.
        signal(SIGQUIT, SIG_DFL)
        // With standard input closed, the next file to be opened would take its number.
        if !FileDescriptor.standardInput.isOpen { _ = try? openFile("/dev/null", O_RDONLY) }
        Console.ignoreBrokenPipe()
        let given = GlobalOptions.negativeNumbersJoined(Array(CommandLine.arguments.dropFirst()))
        let arguments = GlobalOptions.movedToTheEnd(given)
        guard let command = describing({ commandToRun(arguments) }) else { return }
        exit(await run(command).rawValue)
    }

    /// The command that the arguments name; `nil` after an answer of the parser. Ends the process after a failure of the parser.
    private func commandToRun(_ arguments: [String]) -> (any ConsoleCommand)? {
        do {
            var command = try command(of: arguments)
            if let command = command as? any ConsoleCommand { return command }
            // A group without a subcommand, `help` or `completion`.
            try command.run()
            return nil
        } catch {
            let isJSON = arguments.prefix { $0 != "--" }.contains("--json")
            let console = Console(json: isJSON, environment: ProcessInfo.processInfo.environment)
            exit(console.answer(error, of: RootCommand.self, to: arguments).rawValue)
        }
    }

    /// Parses with the named command alone, which is faster than with the tree of all commands. The tree parses the rest:
    /// help, and arguments that the command rejects.
    ///
    /// Times among the arguments are read as the command will show times.
    func command(of arguments: [String]) throws -> any ParsableCommand {
        let isUTC = arguments.prefix { $0 != "--" }.contains("--utc")
        IDCandidates.find { Wiring.candidates(self, $0, $1) }
        return try describing {
            try TimeInput.$current.withValue(TimeInput(times: isUTC ? .utc : .local)) { try parsed(arguments) }
        }
    }

    /// Runs `body` with what the static descriptions of commands follow: the tree, and the roles of users.
    private func describing<Value>(_ body: () throws -> Value) rethrows -> Value {
        try RootCommand.$configuration.withValue(root) {
            try Role.$ofService.withValue(
                Role.ofEveryService + roles.filter { !Role.ofEveryService.contains($0) }, operation: body)
        }
    }

    private func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        var type: any ParsableCommand.Type = RootCommand.self
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
        return try RootCommand.parseAsRoot(arguments)
    }

    private func run(_ command: any ConsoleCommand) async -> ExitStatus {
        let environment = ProcessInfo.processInfo.environment
        let console = Console(
            json: command.options.json, color: command.options.color, environment: environment,
            times: command.options.times)
        let interrupt = Interrupt()
        // Starts on this thread, so that a command that answers from this machine switches threads as little as possible.
        let work = Task.immediate { @MainActor in
            do {
                let settings = try Settings(self, command.options, environment: environment)
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
