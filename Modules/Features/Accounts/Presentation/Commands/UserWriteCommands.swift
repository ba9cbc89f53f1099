package import AccountsDomain
package import ArgumentParser
import StrataDomain
import StrataSystem
package import StrataTerminal

extension Role: ExpressibleByArgument {
    package static let ofEveryService = [member.rawValue, admin.rawValue]
    /// The roles that the service of this command line has.
    @TaskLocal package static var ofService: [String] = ofEveryService

    package init?(argument: String) {
        guard Self.ofService.contains(argument) else { return nil }
        self.init(rawValue: argument)
    }

    package static var allValueStrings: [String] { ofService }
}

/// `users create NAME [--role R] [--email A] [--password-stdin]`.
package struct UserCreateCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        "create", "Create an account.", example: "users create bob --role member")

    @Argument(help: "1 to 64 of a-z, 0-9, '.', '_' and '-'.")
    package var name: String
    @Option(help: "The role of the account.")
    package var role: Role = .member
    @Option(help: "Where mails to the user go.")
    package var email: String?
    @OptionGroup var password: PasswordOption
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let draft = UserDraft(
            username: name, role: role, password: try await password.newPassword(console), email: email)
        try console.show(try await accounts.createUser(draft))
    }
}

/// `users update ID [--username U] [--role R] [--email A] [--password-stdin]`.
package struct UserUpdateCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        "update", "Update an account; omitted options stay unchanged.", example: "users update 9f2c41d --role admin")

    @Argument(help: "From 'users list'.")
    package var id: User.ID
    @Option(help: "New name of the account.")
    package var username: String?
    @Option(help: "The role of the account.")
    package var role: Role?
    @Option(help: "Where mails to the user go; an empty text removes the address.")
    package var email: String?
    @OptionGroup var password: PasswordOption
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func validate() throws {
        if username == nil, role == nil, email == nil, !password.fromInput {
            throw ValidationError("Nothing to change: give --username, --role, --email or --password-stdin.")
        }
    }

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let secret = password.fromInput ? try await console.passwordFromInput() : nil
        try console.show(
            try await accounts.updateUser(
                accounts.users.completed(id), username: username, role: role, password: secret, email: email))
    }
}
