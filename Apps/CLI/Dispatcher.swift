import AccountsPresentation
import Logging
import StrataDomain
import StrataTerminal

/// Runs a parsed command with its tools.
struct Dispatcher {
    private let wiring: Wiring
    private let command: any ConsoleCommand
    private let console: Console

    init(_ command: any ConsoleCommand, _ settings: Settings, _ console: Console) async throws {
        self.command = command
        self.console = console
        var logger = Logger(label: "shiftlog", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = command.options.verbose ? .debug : .critical
        wiring = try await Wiring(settings, console, isLogin: command is LoginCommand, logger: logger)
    }

    func run() async throws -> ExitStatus {
        let result: Result<Void, any Error>
        do {
            try await dispatch()
            console.printLaterNotes()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await wiring.close()
        try result.get()
        return .done
    }

    private func dispatch() async throws {
        guard let set = CommandSet.all.first(where: { $0.contains(type(of: command)) }) else {
            throw DomainError.unexpected("The command is not connected to anything; please report it.")
        }
        try await set.run(command, wiring, console)
    }
}
