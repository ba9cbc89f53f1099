package import ArgumentParser

/// `runbooks`.
package struct RunbooksGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "runbooks", abstract: "Manage runbooks.",
        subcommands: [
            RunbookListCommand.self, RunbookShowCommand.self, RunbookCreateCommand.self, RunbookEditCommand.self,
            RunbookRemoveCommand.self,
        ])
    package init() {}
}
