import AccountsDomain
import AccountsPresentation
import AttachmentsPresentation
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
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await wiring.close()
        try result.get()
        return .done
    }

    private func dispatch() async throws {
        switch command {
        case let command as LoginCommand:
            try await logIn(command)
        case let command as LogoutCommand:
            try await command.run(wiring.accounts, console)
            if wiring.account != nil { wiring.accountFile.remove() }
            await wiring.caches.reader.invalidateAll()
        case let command as any AccountsCommand:
            try await command.run(wiring.accounts, console)
        // scaffold:only Runbooks
        case let command as any RunbooksCommand:
            try await command.run(wiring.runbooks, console)
        // scaffold:end-only
        // scaffold:only Journal
        case let command as any JournalCommand:
            try await command.run(wiring.journal(wiring.offline()), console)
        // scaffold:end-only
        // scaffold:only Attachments
        case let command as any AttachmentsCommand:
            try await command.run(wiring.attachments, console)
        // scaffold:end-only
        case let command as any SyncConsoleCommand:
            try await command.run(wiring.offline().tools, console)
        case let command as any CacheConsoleCommand:
            try await command.run(wiring.caches.tools, console)
        case let command as any RequestConsoleCommand:
            try await wiring.requests.run(command, console)
        case let command as any ProxyConsoleCommand:
            try await command.run(console, serve: wiring.proxy.serve)
        case let command as any AppCommand:
            try await command.run(wiring, console)
        default:
            throw DomainError.unexpected("The command is not connected to anything; please report it.")
        }
    }

    /// Between the end of the old account and the start of the new one the stored tokens are nobody's: whatever interrupts
    /// a login, they are sent to no server but the one that issued them.
    private func logIn(_ command: LoginCommand) async throws {
        let before = wiring.accountFile.read()
        wiring.accountFile.remove()
        do {
            try await command.run(wiring.accounts, console)
        } catch {
            if let before { try wiring.accountFile.write(before) }
            throw error
        }
        let user = try await wiring.accounts.whoAmI()
        try wiring.accountFile.write(
            Account(
                server: "\(wiring.settings.server.origin)", userId: user.id.rawValue, username: user.username,
                tokens: wiring.tokenPlace))
        if let before { await forgetTokens(at: before.tokens ?? .file) }
    }

    /// The tokens of the session before, when the new ones went elsewhere.
    private func forgetTokens(at place: TokenPlace) async {
        guard place != wiring.tokenPlace else { return }
        do {
            try await TokenPlaces(settings: wiring.settings).store(at: place).clear()
        } catch {
            console.warn("The tokens of the session before are still there: \(error)")
        }
    }
}

/// A command about the program as a whole.
protocol AppCommand: ConsoleCommand {
    func run(_ wiring: Wiring, _ console: Console) async throws
}
