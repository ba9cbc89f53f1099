package import ArgumentParser
package import SpecimensDomain

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

extension Specimen.HomeTerrain: ExpressibleByArgument {}
extension Specimen.MainDiet: ExpressibleByArgument {}
