import AccountsPresentation
import StrataDomain
import StrataTerminal

/// Runs a parsed command with its tools.
enum Dispatcher {
    /// - Throws: The error of the command, after what it opened was closed.
    static func run(_ command: any ConsoleCommand, _ settings: Settings, _ console: Console) async throws -> ExitStatus
    {
        guard let set = settings.program.commands.first(where: { $0.contains(type(of: command)) }) else {
            throw DomainError.unexpected("The command is not connected to anything; please report it.")
        }
        let logs = Logs(settings.program, verbose: command.options.verbose)
        let wiring = try await Wiring(settings, console, isLogin: command is LoginCommand, logs: logs)
        do {
            try await set.run(command, wiring, console)
            console.printLaterNotes()
        } catch {
            await wiring.close()
            throw error
        }
        await wiring.close()
        return .done
    }
}
