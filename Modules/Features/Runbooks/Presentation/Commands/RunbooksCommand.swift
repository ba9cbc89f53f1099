package import RunbooksDomain
package import StrataTerminal

/// A command about runbooks.
package protocol RunbooksCommand: ConsoleCommand {
    func run(_ runbooks: Runbooks, _ console: Console) async throws
}
