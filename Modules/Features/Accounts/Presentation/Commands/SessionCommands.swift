package import AccountsDomain
package import ArgumentParser
import StrataDomain
import StrataSystem
package import StrataTerminal

/// `sessions list`.
package struct SessionListCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your sessions.",
        discussion: "Example: \(ProgramName.current) sessions list")

    @OptionGroup package var limit: ListOptions
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        try console.list(
            try await accounts.sessions.sessions(), limit,
            [.id("ID"), .init("DEVICE", isFlexible: true), .time("SINCE"), .time("LAST USED"), .init("")],
            empty: "There are no sessions."
        ) { session in
            [
                .init(session.id.rawValue), .init(session.device), .init(session.createdAt),
                .init(session.lastUsedAt), .init(session.isCurrent ? "this one" : "", .green),
            ]
        }
    }
}

/// `sessions revoke ID`.
package struct SessionRevokeCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End a session on another device.",
        discussion: "Example: \(ProgramName.current) sessions revoke 9f2c41d")

    @Argument(help: "From 'sessions list'.")
    package var id: Session.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let id = try await id.completed { _ in try await accounts.sessions.sessions().map(\.id) }
        try await accounts.sessions.revoke(id)
        try console.confirm(id.rawValue, "revoked")
    }
}
