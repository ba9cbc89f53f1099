package import ArgumentParser

/// `specimens`.
package struct SpecimensGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "specimens", abstract: "Read and write specimens.",
        subcommands: [
            SpecimenListCommand.self, SpecimenShowCommand.self, SpecimenAddCommand.self, SpecimenEditCommand.self,
            SpecimenRemoveCommand.self,
        ])
    package init() {}
}
