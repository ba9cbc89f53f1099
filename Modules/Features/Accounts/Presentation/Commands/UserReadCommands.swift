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

    @OptionGroup package var limit: ListOptions
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let found = try await accounts.firstUsers(limit.rows(console))
        try console.list(
            found.users, of: found.total, limit,
            [.id("ID"), .init("NAME", isFlexible: true), .init("ROLE"), .time("CREATED")],
            empty: "There are no accounts."
        ) { user in
            [
                .init(user.id.rawValue), .init(user.username, .bold), .init(user.role.rawValue), .init(user.createdAt),
            ]
        }
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
        try console.show(try await accounts.users.user(accounts.completed(id)))
    }
}

extension Accounts {
    /// The complete id of a part of one.
    func completed(_ id: User.ID) async throws -> User.ID {
        try await id.completed { _ in try await allUsers().map(\.id) }
    }
}

extension Console {
    /// All of an account, which never includes a password.
    func show(_ user: User) throws {
        if isJSON { return try json(user) }
        fields([
            ("id", user.id.rawValue), ("name", user.username), ("role", user.role.rawValue),
            ("created", times.point(user.createdAt)), ("updated", times.point(user.updatedAt)),
        ])
    }
}
