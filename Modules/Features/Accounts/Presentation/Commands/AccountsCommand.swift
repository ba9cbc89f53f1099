package import AccountsDomain
package import StrataTerminal

/// A command about accounts.
package protocol AccountsCommand: ConsoleCommand {
    func run(_ accounts: Accounts, _ console: Console) async throws
}
