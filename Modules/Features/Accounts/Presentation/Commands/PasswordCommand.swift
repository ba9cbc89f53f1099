package import AccountsDomain
package import ArgumentParser
import StrataDomain
import StrataSystem
package import StrataTerminal

/// `password [--password-stdin]`.
package struct PasswordCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "password", abstract: "Change your password and end your other sessions.",
        discussion: """
            The command asks for the current password, and twice for the new one. With --password-stdin, it reads two lines: the \
            current password and the new one.

            Example: \(ProgramName.current) password
            """)

    @OptionGroup var password: PasswordOption
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let (current, new) = try await passwords(console)
        try await accounts.changePassword(from: current, to: new)
        try console.show(["changed": true] as JSONDocument) {
            console.out("The password is changed; your other sessions have ended.")
        }
    }

    private func passwords(_ console: Console) async throws -> (Secret, Secret) {
        guard password.fromInput else {
            return (try await password.password(console), try await password.newPassword(console))
        }
        let lines = try await console.passwordFromInput().reveal().split(omittingEmptySubsequences: false) {
            $0 == "\n" || $0 == "\r\n"
        }
        guard lines.count == 2 else {
            throw DomainError.validation("Standard input must have two lines: the current password and the new one.")
        }
        return (Secret(String(lines[0])), Secret(String(lines[1])))
    }
}
