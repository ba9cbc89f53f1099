package import ArgumentParser
package import JournalDomain

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

extension Severity: ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}
