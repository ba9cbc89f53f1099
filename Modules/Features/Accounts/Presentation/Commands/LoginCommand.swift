package import AccountsDomain
package import ArgumentParser
import StrataDomain
import StrataSystem
package import StrataTerminal

/// `login [--username U] [--password-stdin]`.
package struct LoginCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Log in and store the tokens of the session.",
        discussion: """
            Asks for omitted values. The password is never an argument; scripts pass it on standard input. An existing session \
            stays until the new one is stored, and is ended then.

            Tokens are stored in the keyring of the desktop session if 'secret-tool' can reach it, otherwise in a file that \
            only you can read; the command prints which. \(ProgramName.variable("TOKEN_STORE")) selects one: auto, file or secret-service.

            Example: \(ProgramName.current) login --username alice
            """)

    @Option(help: "Name of the account.")
    package var username: String?
    @OptionGroup var password: PasswordOption
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let username = try await name(console)
        let place = try await accounts.logIn(
            username: username, password: password.password(console), device: console.hostName)
        if console.isJSON { return try console.json(LoggedIn(username: username, tokens: place)) }
        console.out("logged in as \(username)")
        console.note("The tokens are kept in \(place).")
    }

    private func name(_ console: Console) async throws -> String {
        if let username { return username }
        guard console.input.isTerminal, !password.fromInput else {
            throw CommandFailure(.usage, "Whose account? Give --username; it is asked for only on a terminal.")
        }
        return try await console.input.line(prompt: "Username: ", isHidden: false).reveal()
    }

    private struct LoggedIn: Encodable {
        var username: String
        /// Where they are kept, not what they are.
        var tokens: String
    }
}
