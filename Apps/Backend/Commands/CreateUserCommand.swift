import AccountsDomain
import AccountsService
import ArgumentParser
import StrataDomain
import StrataService

struct CreateUserCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-user", abstract: "Create an account; also while the server runs.")

    @Argument(help: "1 to 64 of a-z, 0-9, '.', '_' and '-'.") var name: String
    @Option(help: "admin or member.") var role: Role
    @Flag(help: "Read the password from the first line of standard input.") var passwordStdin = false
    @OptionGroup var store: StoreOptions

    func validate() throws {
        guard passwordStdin else {
            throw ValidationError("The password is read from standard input; add --password-stdin and pipe it in.")
        }
    }

    func run(environment: [String: String]) async throws {
        let settings = try store.settings(environment)
        let line: String?
        do { line = try StandardStreams.inputLine() } catch {
            throw Failure("Standard input cannot be read: \(error); pipe the password in.", Failure.rejected)
        }
        guard let password = line else {
            throw Failure("The password must be one line of UTF-8 text.", Failure.rejected)
        }
        guard !password.isEmpty else {
            throw Failure("Standard input holds no password; pipe one line in.", Failure.rejected)
        }
        try await StoreOptions.withDatabase(settings) { database in
            let backend = try await Backend(offline: settings, store: database)
            try await backend.service.prepare()
            let user = try await backend.accounts.createUser(username: name, role: role, password: Secret(password))
            StandardStreams.output("Created \(user.role.rawValue) '\(user.username)' with id \(user.id).")
        }
    }
}

extension Role: ExpressibleByArgument {}
