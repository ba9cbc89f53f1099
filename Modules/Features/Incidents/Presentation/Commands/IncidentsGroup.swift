package import ArgumentParser

/// `incidents`.
package struct IncidentsGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "incidents", abstract: "Read and write incidents.",
        subcommands: [
            IncidentListCommand.self, IncidentShowCommand.self, IncidentAddCommand.self, IncidentEditCommand.self,
            IncidentRemoveCommand.self,
        ])
    package init() {}
}
