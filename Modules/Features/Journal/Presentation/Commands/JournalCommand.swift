package import JournalDomain
package import StrataTerminal

/// A command about the journal.
package protocol JournalCommand: ConsoleCommand {
    func run(_ journal: Journal, _ console: Console) async throws
}
