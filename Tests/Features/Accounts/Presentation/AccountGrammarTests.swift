import AccountsPresentation
import ArgumentParser
import Testing

struct AccountGrammarTests {
    private struct Root: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [
            LoginCommand.self, LogoutCommand.self, WhoamiCommand.self, PasswordCommand.self, SessionsGroup.self,
            UsersGroup.self, HostTokensGroup.self,
        ])
    }

    @Test(arguments: [
        "login ada", "login --password secret", "logout now", "whoami ada", "password secret", "password --new secret",
        "sessions revoke", "users show",
        "users create", "users create bob --role root", "users create bob --password x", "users update u1",
        "users update --role admin", "users delete", "host-tokens create", "host-tokens revoke a b",
    ])
    func `an invalid command line is a usage error, a password as an argument among them`(line: String) {
        let error = #expect(throws: (any Error).self) {
            _ = try Root.parseAsRoot(line.split(separator: " ").map(String.init))
        }
        #expect(error.map { Root.exitCode(for: $0).rawValue } == 64)
    }
}
