package import AccountsDomain
package import ArgumentParser
import StrataDomain
import StrataSystem
package import StrataTerminal

/// `login [--username U] [--password-stdin] [--device]`.
package struct LoginCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Log in and store the tokens of the session.",
        discussion: """
            On a terminal the login by a browser is offered first: the command shows a code and an address, and waits \
            until you allow the login on any device with a browser. --device does so without asking. \
            The wait ends when the code expires, after 10 minutes, or after --timeout.

            Without a browser, it asks for omitted values. The password is never an argument; scripts pass it on standard input. An existing session \
            stays until the new one is stored, and is ended then.

            Tokens are stored in the keyring of the desktop session if 'secret-tool' can reach it, otherwise in a file that \
            only you can read; the command prints which. \(ProgramName.variable("TOKEN_STORE")) selects one: auto, file or secret-service.

            Example: \(ProgramName.current) login --username alice
            """)

    @Option(help: "Name of the account.")
    package var username: String?
    @OptionGroup var password: PasswordOption
    @Flag(help: "Log in with a browser, here or on another device, instead of a password.")
    package var device = false
    @OptionGroup package var options: GlobalOptions

    /// A login on another device has a limit of its own, which says what was not done in time.
    package var timeLimit: Duration? { device ? nil : options.deadline }

    package init() {}

    package func validate() throws {
        if device, username != nil || password.fromInput {
            throw ValidationError("--device asks for name and password in the browser; give it alone.")
        }
    }

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let (username, place) =
            try await wantsBrowser(console) ? browserLogin(accounts, console) : passwordLogin(accounts, console)
        try console.show(["username": username, "tokens": place] as JSONDocument) {
            console.out("logged in as \(username)")
            console.note("The tokens are kept in \(place).")
        }
    }

    private func wantsBrowser(_ console: Console) async throws -> Bool {
        if device { return true }
        guard username == nil, !password.fromInput, console.input.isTerminal else { return false }
        let answer = try await console.input.line(prompt: "Log in with a browser? [Y/n] ", isHidden: false).reveal()
        return !answer.lowercased().hasPrefix("n")
    }

    private func browserLogin(_ accounts: Accounts, _ console: Console) async throws -> (String, String) {
        let login = try await accounts.logIn(device: console.hostName, within: options.deadline) { code in
            let lines = [
                "Open \(code.page) in a browser and type the code \(code.code)"
                    + (code.link == code.page ? "." : ", or open \(code.link)."),
                "Allow the login only on a page that shows this code. Waiting …",
            ]
            lines.forEach(console.isJSON ? console.note : console.outUnderWay)
        }
        return (login.username, login.place)
    }

    private func passwordLogin(_ accounts: Accounts, _ console: Console) async throws -> (String, String) {
        let username = try await name(console)
        let place = try await accounts.logIn(
            username: username, password: password.password(console), device: console.hostName)
        return (username, place)
    }

    private func name(_ console: Console) async throws -> String {
        if let username { return username }
        guard console.input.isTerminal, !password.fromInput else {
            throw CommandFailure(.usage, "Whose account? Give --username; it is asked for only on a terminal.")
        }
        return try await console.input.line(prompt: "Username: ", isHidden: false).reveal()
    }
}
