import AccountsDomain
import AccountsService
import ArgumentParser
import StrataService

struct CreateUserCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-user", abstract: "Create an account; also while the server runs.")

    @Argument(help: "1 to 64 of a-z, 0-9, '.', '_' and '-'.") var name: String
    @Option(help: "admin or member.") var role: Role
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
                username: name, role: role, password: password, email: email)
            try StandardStreams.output("Created \(user.role.rawValue) '\(user.username)' with id \(user.id).")
        }
    }
}

extension Role: ExpressibleByArgument {}
