import AccountsData
import AccountsDomain
import AccountsPresentation
import StrataCaching
import StrataDomain
import StrataNetworking
import StrataTerminal

extension CommandSet {
    /// Logging in and out also changes what is remembered of the account here.
    static let accounts = CommandSet([
        LoginCommand.self, LogoutCommand.self, WhoamiCommand.self, SessionsGroup.self, UsersGroup.self,
        HostTokensGroup.self,
    ]) { command, wiring, console in
        switch command {
        case let command as LoginCommand: try await wiring.logIn(command)
        case let command as LogoutCommand: try await wiring.logOut(command)
        default: try await command.run(with: wiring.accounts, console)
        }
    }
}

extension Wiring {
    fileprivate var accounts: Accounts {
        Accounts(
            sessions: RemoteSessionRepository(
                client: network.session, open: network.open, provider: network.provider, store: tokens,
                clock: network.clock),
            users: RemoteUserRepository(client: network.session),
            hostTokens: RemoteHostTokenRepository(client: network.session))
    }

    /// Between the end of the old account and the start of the new one the stored tokens are nobody's: whatever interrupts
    /// a login, they are sent to no server but the one that issued them.
    fileprivate func logIn(_ command: LoginCommand) async throws {
        let accounts = accounts
        let before = try? accountFile.read()
        try accountFile.remove()
        do {
            try await command.run(accounts, console)
        } catch {
            if let before { try accountFile.write(before) }
            throw error
        }
        let user = try await accounts.whoAmI()
        try accountFile.write(
            Account(
                server: "\(settings.server.origin)", userId: user.id.rawValue, username: user.username,
                tokens: tokenPlace))
        if let before { await forgetTokens(at: before.tokens ?? .file) }
    }

    /// The tokens of the session before, when the new ones went elsewhere.
    private func forgetTokens(at place: TokenPlace) async {
        guard place != tokenPlace else { return }
        do {
            try await TokenPlaces(settings: settings).store(at: place).clear()
        } catch {
            console.warn("The tokens of the session before are still there: \(error)")
        }
    }

    fileprivate func logOut(_ command: LogoutCommand) async throws {
        try await command.run(accounts, console)
        do {
            if account != nil { try accountFile.remove() }
        } catch {
            console.warn("\(error)")
        }
        await caches.reader.invalidateAll()
    }
}
