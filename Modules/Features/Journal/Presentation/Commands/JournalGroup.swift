package import ArgumentParser
package import JournalDomain
package import StrataTerminal

/// `journal`.
package struct JournalGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Write and read the journal, with or without a network.",
        subcommands: [
            JournalAddCommand.self, JournalListCommand.self, JournalShowCommand.self, JournalEditCommand.self,
            JournalRemoveCommand.self, JournalImportCommand.self,
        ])
    package init() {}
}

/// A command about the journal.
package protocol JournalCommand: ConsoleCommand where Tools == Journal {}

extension LogFormat: ExpressibleByArgument {}
