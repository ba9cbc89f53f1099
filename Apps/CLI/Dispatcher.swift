import AccountsDomain
import AccountsPresentation
import JournalPresentation
import Logging
import RunbooksPresentation
import StrataCaching
import StrataDomain
import StrataNetworking
import StrataTerminal

/// Hands a parsed command what it works with.
struct Dispatcher {
    private let wiring: Wiring
    private let console: Console

    init(_ settings: Settings, _ console: Console, isVerbose: Bool) throws {
        self.console = console
        var logger = Logger(label: "shiftlog", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = isVerbose ? .debug : .critical
        wiring = try Wiring(settings, console, logger: logger)
    }

    func run(_ command: any ConsoleCommand) async throws -> ExitStatus {
        let result: Result<Void, any Error>
        do {
            try await dispatch(command)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await wiring.close()
        try result.get()
        return .done
    }

    private func dispatch(_ command: any ConsoleCommand) async throws {
        switch command {
        case let command as LoginCommand:
            try await command.run(wiring.accounts, console)
            try await remember()
        case let command as LogoutCommand:
            try await command.run(wiring.accounts, console)
            wiring.accountFile.remove()
            await wiring.cache.removeAll()
        case let command as any AccountsCommand:
            try await command.run(wiring.accounts, console)
        case let command as any RunbooksCommand:
            try await command.run(wiring.runbooks, console)
        case let command as any JournalCommand:
            try await command.run(wiring.journal(wiring.offline()), console)
        case let command as any SyncConsoleCommand:
            try await command.run(wiring.offline().tools, console)
        case let command as any CacheConsoleCommand:
            try await command.run(wiring.cache, console)
        case let command as any AppCommand:
            try await command.run(wiring, console)
        default:
            throw DomainError.unexpected("The command is not connected to anything; please report it.")
        }
    }

    /// Notes whose tokens were just stored, and for which server.
    private func remember() async throws {
        let user = try await wiring.accounts.whoAmI()
        try wiring.accountFile.write(
            Account(
                server: "\(wiring.settings.server.origin)", userId: user.id.rawValue, username: user.username))
    }
}

/// A command about the program as a whole.
protocol AppCommand: ConsoleCommand {
    func run(_ wiring: Wiring, _ console: Console) async throws
}
