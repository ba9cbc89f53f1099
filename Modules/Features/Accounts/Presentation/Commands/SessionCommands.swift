package import AccountsDomain
package import ArgumentParser
import StrataDomain
package import StrataTerminal

/// `sessions list`.
package struct SessionListCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices you are logged in on.")

    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let sessions = try await accounts.sessions.list()
        if console.isJSON { return try console.json(sessions.map(SessionView.init)) }
        var table = Table([
            .init("ID", isWhole: true), .init("DEVICE", isFlexible: true), .init("SINCE"), .init("LAST USED"),
            .init(""),
        ])
        for session in sessions {
            table.add([
                .init(session.id.rawValue), .init(session.device), .init(TimeText.point(session.createdAt)),
                .init(TimeText.point(session.lastUsedAt)), .init(session.isCurrent ? "this one" : "", .green),
            ])
        }
        console.table(table, empty: "There are no sessions.")
    }
}

/// `sessions revoke ID`.
package struct SessionRevokeCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End a session on another device.")

    @Argument(help: "From 'sessions list'.")
    package var id: Session.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        try await accounts.sessions.revoke(id)
        try console.confirm(id.rawValue, "revoked")
    }
}
