package import AccountsDomain
package import ArgumentParser
import StrataDomain
import StrataSystem
package import StrataTerminal

/// `host-tokens list`.
package struct HostTokenListCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List host tokens, without their keys.",
        discussion: "Example: \(ProgramName.current) host-tokens list")

    @OptionGroup package var limit: ListOptions
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        try console.list(
            try await accounts.hostTokens.hostTokens(), limit,
            [.id("ID"), .init("NAME", isFlexible: true), .time("CREATED"), .time("LAST USED")],
            empty: "There are no host tokens."
        ) { token in
            [
                .init(token.id.rawValue), .init(token.name, .bold), .init(token.createdAt),
                .init(token.lastUsedAt, missing: "never"),
            ]
        }
    }
}

/// `host-tokens create NAME`: the key alone on standard output, so that a script can keep it.
package struct HostTokenCreateCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a host token; its key is shown only once.",
        discussion: "Example: \(ProgramName.current) host-tokens create web1 > web1.key")

    @Argument(help: "The host; the token can add entries for this host only.")
    package var name: String
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let created = try await accounts.createHostToken(name: name)
        if console.isJSON { return try console.json(created) }
        console.out(created.key?.reveal() ?? "")
        console.note(
            "This key is not shown again. '\(ProgramName.current) host-tokens revoke \(created.token.id)' takes it back."
        )
    }
}

/// `host-tokens revoke ID`.
package struct HostTokenRevokeCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a host token.",
        discussion: "Example: \(ProgramName.current) host-tokens revoke 9f2c41d")

    @Argument(help: "From 'host-tokens list'.")
    package var id: HostToken.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let id = try await id.completed { _ in try await accounts.hostTokens.hostTokens().map(\.id) }
        try await accounts.hostTokens.revoke(id)
        try console.confirm(id.rawValue, "revoked")
    }
}
