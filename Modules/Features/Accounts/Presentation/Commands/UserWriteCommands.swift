package import AccountsDomain
package import ArgumentParser
import StrataDomain
import StrataSystem
package import StrataTerminal

extension Role: ExpressibleByArgument {}

/// `users create NAME [--role R] [--password-stdin]`.
package struct UserCreateCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an account.",
        discussion: "Example: \(ProgramName.current) users create bob --role member")

    @Argument(help: "1 to 64 of a-z, 0-9, '.', '_' and '-'.")
    package var name: String
    @Option(help: "The role of the account.")
    package var role: Role = .member
    @OptionGroup var password: PasswordOption
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let draft = UserDraft(username: name, role: role, password: try await password.newPassword(console))
        try console.show(try await accounts.createUser(draft))
    }
}

/// `users update ID [--username U] [--role R] [--password-stdin]`.
package struct UserUpdateCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Update an account; omitted options stay unchanged.",
        discussion: "Example: \(ProgramName.current) users update 9f2c41d --role admin")

    @Argument(help: "From 'users list'.")
    package var id: User.ID
    @Option(help: "New name of the account.")
    package var username: String?
    @Option(help: "The role of the account.")
    package var role: Role?
    @OptionGroup var password: PasswordOption
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func validate() throws {
        if username == nil, role == nil, !password.fromInput {
            throw ValidationError("Nothing to change: give --username, --role or --password-stdin.")
        }
    }

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let secret = password.fromInput ? try await console.passwordFromInput() : nil
        try console.show(
            try await accounts.updateUser(accounts.completed(id), username: username, role: role, password: secret))
    }
}

/// `users delete ID`.
package struct UserDeleteCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete an account and end its sessions.",
        discussion: "Example: \(ProgramName.current) users delete 9f2c41d")

    @Argument(help: "From 'users list'.")
    package var id: User.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let id = try await accounts.completed(id)
        try await accounts.users.delete(id)
        try console.confirm(id.rawValue, "deleted")
    }
}
