package import AccountsDomain
package import ArgumentParser
import StrataDomain
import StrataSystem
package import StrataTerminal

/// `logout [--everywhere]`.
package struct LogoutCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "End the session and delete its tokens.",
        discussion: """
            Local entries stay on this machine, also unsent ones.

            Example: \(ProgramName.current) logout --everywhere
            """)

    @Flag(help: "End every session of this account, on all devices.")
    package var everywhere = false
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let isConfirmed = try await accounts.sessions.logout(everywhere: everywhere)
        try console.show(["logged_out": true, "confirmed": isConfirmed] as JSONDocument) {
            console.out("logged out")
            if !isConfirmed {
                console.warn(
                    "The tokens are gone here; the server was not told, so there the session ends when it expires.")
            }
        }
    }
}

/// `whoami`.
package struct WhoamiCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        "whoami", "Show the current user.", example: "whoami")

    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let user = try await accounts.sessions.me()
        try console.show(user) { console.out("\(user.username) (\(user.role.rawValue))") }
    }
}
