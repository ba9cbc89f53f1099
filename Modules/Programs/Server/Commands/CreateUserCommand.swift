import AccountsDomain
import AccountsService
import ArgumentParser
import StrataService

struct CreateUserCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-user", abstract: "Create an account; also while the server runs.")

    @Argument(help: "1 to 64 of a-z, 0-9, '.', '_' and '-'.") var name: String
    @Option(help: "What the user may do.") var role: RoleName
    @Option(help: "Where mails to the user go.") var email: String?
    @OptionGroup var password: PasswordOption
    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        let settings = try store.settings(environment)
        let password = try password.read()
        try await StoreOptions.withDatabase(settings) { database in
            let backend = try await Backend(offline: settings, store: database)
            try await backend.service.prepare()
            let user = try await backend.accounts.createUser(
                username: name, role: role.role, password: password, email: email)
            try StandardStreams.output("Created \(user.role.rawValue) '\(user.username)' with id \(user.id).")
        }
    }
}

/// One of the roles of the program. A type of its own: the command line of accounts reads `Role` by other rules.
struct RoleName: ExpressibleByArgument {
    let role: Role

    init?(argument: String) {
        guard Self.allValueStrings.contains(argument) else { return nil }
        role = Role(rawValue: argument)
    }

    static var allValueStrings: [String] { ServerProgram.current.roles.names }
}
