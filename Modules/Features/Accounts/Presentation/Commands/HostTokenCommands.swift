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

    @OptionGroup package var limit: ListLimit
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let all = try await accounts.hostTokens.list()
        let tokens = all.prefix(limit.rows(console))
        defer { console.noteCut(shown: tokens.count, of: all.count) }
        if console.isJSON { return try console.json(tokens.map { HostTokenView($0) }) }
        var table = Table([
            .id("ID"), .init("NAME", isFlexible: true), .time("CREATED"), .time("LAST USED"),
        ])
        for token in tokens {
            table.add([
                .init(token.id.rawValue), .init(token.name, .bold), .init(token.createdAt),
                .init(token.lastUsedAt, missing: "never"),
            ])
        }
        console.table(table, empty: "There are no host tokens.")
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
        let (token, key) = try await accounts.hostTokens.create(name: name)
        if console.isJSON { return try console.json(HostTokenView(token, key: key)) }
        console.out(key.reveal())
        console.note(
            "This key is not shown again. '\(ProgramName.current) host-tokens revoke \(token.id)' takes it back.")
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
        let id = try await id.completed { _ in try await accounts.hostTokens.list().map(\.id) }
        try await accounts.hostTokens.revoke(id)
        try console.confirm(id.rawValue, "revoked")
    }
}
