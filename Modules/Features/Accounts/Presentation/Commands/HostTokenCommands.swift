package import AccountsDomain
package import ArgumentParser
import StrataDomain
package import StrataTerminal

/// `host-tokens list`.
package struct HostTokenListCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the keys of machines, without the keys themselves.")

    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let tokens = try await accounts.hostTokens.list()
        if console.isJSON { return try console.json(tokens.map { HostTokenView($0) }) }
        var table = Table([
            .init("ID", isWhole: true), .init("NAME", isFlexible: true), .init("CREATED"), .init("LAST USED"),
        ])
        for token in tokens {
            table.add([
                .init(token.id.rawValue), .init(token.name, .bold), .init(TimeText.point(token.createdAt)),
                .init(token.lastUsedAt.map(TimeText.point) ?? "never"),
            ])
        }
        console.table(table, empty: "There are no host tokens.")
    }
}

/// `host-tokens create NAME`: the key alone on standard output, so that a script can keep it.
package struct HostTokenCreateCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a key for a machine; it is shown this one time.")

    @Argument(help: "The host it speaks for; entries are added about this one only.")
    package var name: String
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let (token, key) = try await accounts.hostTokens.create(name: name)
        if console.isJSON { return try console.json(HostTokenView(token, key: key)) }
        console.out(key.reveal())
        console.note("This key is not shown again. 'shiftlog host-tokens revoke \(token.id)' takes it back.")
    }
}

/// `host-tokens revoke ID`.
package struct HostTokenRevokeCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take a machine's key back.")

    @Argument(help: "From 'host-tokens list'.")
    package var id: HostToken.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        try await accounts.hostTokens.revoke(id)
        try console.confirm(id.rawValue, "revoked")
    }
}
