package import ArgumentParser
package import JournalDomain
package import StrataTerminal

/// `journal`.
package struct JournalGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Write and read the journal, with or without a network.",
        subcommands: JournalView.commands + [JournalImportCommand.self])
    package init() {}
}

/// A command about the journal as a whole.
package protocol JournalCommand: ConsoleCommand where Tools == Journal {}

extension LogFormat: ExpressibleByArgument {}
