import AccountsData
import AccountsDomain
import AccountsPresentation
import StrataCaching
import StrataDomain
import StrataNetworking
import StrataOffline
import StrataTerminal
import StrataTokens

extension CommandSet {
    /// The commands of accounts, sessions and users. Login and logout also clear the caches, and print which local data stays.
    public static let accounts = CommandSet([
        LoginCommand.self, LogoutCommand.self, WhoamiCommand.self, PasswordCommand.self, SessionsGroup.self,
        UsersGroup.self, HostTokensGroup.self,
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
                server: "\(settings.server.origin)", clock: network.clock),
            users: RemoteUserRepository(client: network.session),
            hostTokens: RemoteHostTokenRepository(client: network.session))
    }

    fileprivate func logIn(_ command: LoginCommand) async throws {
        try await command.run(accounts, console)
        // Cached responses belong to the previous session, even if that could not be read.
        await caches.reader.invalidateAll()
        let now = try? await profile.session()?.account
        await forgetOnlineWrite(unlessOf: now)
        guard !console.isJSON, let now, let kept = await kept, kept.unsent > 0 else { return }
        if let owner = kept.owner, owner.id != now.userId {
            console.warn(
                "This profile keeps what '\(owner.name)' wrote: \(kept.text). They are safe; log in as '\(owner.name)' to "
                    + "send them, or use --profile NAME for '\(now.username)'.")
        } else {
            console.note("\(kept.text); run '\(settings.program.name) sync' to send.")
        }
    }

    fileprivate func logOut(_ command: LogoutCommand) async throws {
        try await command.run(accounts, console)
        await caches.reader.invalidateAll()
        await forgetOnlineWrite(unlessOf: nil)
        guard !console.isJSON, let kept = await kept else { return }
        let who = account.map { "'\($0.username)' logs" } ?? "you log"
        console.note(
            kept.unsent == 0
                ? "The entries stay on this machine and are readable without a login; all of them are sent."
                : "\(kept.text): the entries stay on this machine, readable without a login, and are sent when "
                    + "\(who) in again.")
    }
}

extension Wiring {
    /// What the profile keeps; `nil` if nothing works offline, there is no store, or it cannot be read.
    fileprivate var kept: StoredEntries? {
        get async {
            if settings.program.synchronised.isEmpty { return nil }
            return await StoredEntries(
                at: LocalData.path(settings), collections: settings.program.synchronised.map(\.collection),
                log: logs(.offline))
        }
    }
}
