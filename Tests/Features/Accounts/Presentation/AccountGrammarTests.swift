import AccountsDomain
import AccountsPresentation
import ArgumentParser
import StrataDomain
import StrataTerminal
import Testing

struct AccountGrammarTests {
    private struct Root: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [
            LoginCommand.self, LogoutCommand.self, WhoamiCommand.self, SessionsGroup.self, UsersGroup.self,
            HostTokensGroup.self,
        ])
    }

    private func parse<Command>(_ line: String, as type: Command.Type) throws -> Command {
        let words = line.split(separator: " ").map(String.init)
        return try #require(try Root.parseAsRoot(GlobalOptions.movedToTheEnd(words)) as? Command)
    }

    @Test func `login and logout are parsed with their options`() throws {
        #expect(try parse("login", as: LoginCommand.self).username == nil)
        #expect(try parse("login --username ada --password-stdin", as: LoginCommand.self).username == "ada")
        #expect(try parse("logout", as: LogoutCommand.self).everywhere == false)
        #expect(try parse("logout --everywhere", as: LogoutCommand.self).everywhere)
        #expect(try parse("--profile work whoami", as: WhoamiCommand.self).options.profile == "work")
    }

    @Test func `commands about accounts are parsed with their options`() throws {
        let create = try parse("users create bob --role admin --password-stdin", as: UserCreateCommand.self)
        #expect(create.name == "bob" && create.role == .admin)
        #expect(try parse("users create bob", as: UserCreateCommand.self).role == .member)
        let update = try parse("users update u1 --role member --username rob", as: UserUpdateCommand.self)
        #expect(update.id == User.ID("u1") && update.role == .member && update.username == "rob")
        #expect(try parse("host-tokens create web1", as: HostTokenCreateCommand.self).name == "web1")
    }

    @Test(arguments: [
        "sessions list --limit 9", "sessions revoke s1", "users list --json", "users show u1", "users delete u1",
        "host-tokens list", "host-tokens revoke t1",
    ])
    func `each resource has its commands`(line: String) throws { _ = try parse(line, as: (any ParsableCommand).self) }

    @Test(arguments: [
        "login ada", "login --password secret", "logout now", "whoami ada", "sessions revoke", "users show",
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
