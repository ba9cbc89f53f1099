package import AccountsDomain
package import ArgumentParser
import StrataDomain
package import StrataTerminal

/// `users list`.
package struct UserListCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(commandName: "list", abstract: "List all accounts.")

    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let users = try await accounts.users.list()
        if console.isJSON { return try console.json(users.map(UserView.init)) }
        var table = Table([
            .init("ID", isWhole: true), .init("NAME", isFlexible: true), .init("ROLE"), .init("CREATED"),
        ])
        for user in users {
            table.add([
                .init(user.id.rawValue), .init(user.username, .bold), .init(user.role.rawValue),
                .init(TimeText.point(user.createdAt)),
            ])
        }
        console.table(table, empty: "There are no accounts.")
    }
}

/// `users show ID`.
package struct UserShowCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(commandName: "show", abstract: "Show an account.")

    @Argument(help: "From 'users list'.")
    package var id: User.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        try console.show(try await accounts.users.show(id))
    }
}

extension Console {
    /// All of an account, which never includes a password.
    func show(_ user: User) throws {
        if isJSON { return try json(UserView(user)) }
        fields([
            ("id", user.id.rawValue), ("name", user.username), ("role", user.role.rawValue),
            ("created", TimeText.point(user.createdAt)), ("updated", TimeText.point(user.updatedAt)),
        ])
    }
}
