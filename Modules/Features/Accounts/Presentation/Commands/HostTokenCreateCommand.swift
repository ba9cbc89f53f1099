package import AccountsDomain
package import ArgumentParser
import StrataDomain
import StrataSystem
package import StrataTerminal

/// `host-tokens create NAME`: the key alone on standard output, so that a script can keep it.
package struct HostTokenCreateCommand: AccountsCommand {
    package static let configuration = CommandConfiguration(
        "create", "Create a host token; its key is shown only once.", example: "host-tokens create web1 > web1.key")

    @Argument(help: "The host; the token is for this host only.")
    package var name: String
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ accounts: Accounts, _ console: Console) async throws {
        let created = try await accounts.createHostToken(name: name)
        try console.show(created) {
            console.out(created.key?.reveal() ?? "")
            console.note(
                "This key is not shown again. '\(ProgramName.current) host-tokens revoke \(created.token.id)' takes it "
                    + "back.")
        }
    }
}
