package import ArgumentParser
package import JournalDomain
package import StrataDomain
package import StrataTerminal

/// `journal`.
package struct JournalGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Write and read the journal, with or without a network.",
        subcommands: JournalView.commands.filter { $0 != EntityImportCommand<JournalView>.self }
            + [JournalImportCommand.self])
    package init() {}
}

/// A command about the journal as a whole.
package protocol JournalCommand: ConsoleCommand where Tools == Journal {}

/// What `journal import` reads: the lines of a log, or rows of entries.
package enum ImportFormat: Sendable, Hashable, CaseIterable, ExpressibleByArgument {
    case log(LogFormat)
    case rows(RecordFormat)

    package static var allCases: [ImportFormat] {
        LogFormat.allCases.map(ImportFormat.log) + RecordFormat.allCases.map(ImportFormat.rows)
    }
    package static var allValueStrings: [String] { allCases.map(\.defaultValueDescription) }

    package init?(argument: String) {
        guard let format = Self.allCases.first(where: { $0.defaultValueDescription == argument }) else { return nil }
        self = format
    }

    package var defaultValueDescription: String {
        switch self {
        case .log(let format): format.rawValue
        case .rows(let format): format.rawValue
        }
    }
}
