package import AccountsDomain
package import ArgumentParser
import StrataDomain
import StrataSystem
package import StrataTerminal

/// `users list`.
package struct UserListCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List accounts.",
        discussion: "Example: \(ProgramName.current) users list --limit 200")

    @OptionGroup package var limit: ListLimit
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let all = try await accounts.users.list()
        let users = all.prefix(limit.rows(console))
        defer { console.noteCut(shown: users.count, of: all.count) }
        if console.isJSON { return try console.json(users.map(UserView.init)) }
        var table = Table([
            .id("ID"), .init("NAME", isFlexible: true), .init("ROLE"), .time("CREATED"),
        ])
        for user in users {
            table.add([
                .init(user.id.rawValue), .init(user.username, .bold), .init(user.role.rawValue),
                .init(user.createdAt),
            ])
        }
        console.table(table, empty: "There are no accounts.")
    }
}

/// `users show ID`.
package struct UserShowCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an account.",
        discussion: "Example: \(ProgramName.current) users show 9f2c41d")

    @Argument(help: "From 'users list'.")
    package var id: User.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        try console.show(try await accounts.users.show(accounts.completed(id)))
    }
}

extension Accounts {
    /// The account that a person meant by a part of its id.
    func completed(_ id: User.ID) async throws -> User.ID {
        try await id.completed { _ in try await users.list().map(\.id) }
    }
}

extension Console {
    /// All of an account, which never includes a password.
    func show(_ user: User) throws {
        if isJSON { return try json(UserView(user)) }
        fields([
            ("id", user.id.rawValue), ("name", user.username), ("role", user.role.rawValue),
            ("created", times.point(user.createdAt)), ("updated", times.point(user.updatedAt)),
        ])
    }
}
