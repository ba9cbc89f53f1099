package import ArgumentParser
package import IncidentsDomain
package import StrataDomain
package import StrataTerminal

/// `incidents list [--refresh]`.
package struct IncidentListCommand: IncidentsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List incidents, newest first.")

    @OptionGroup var reading: ReadingOption
    @OptionGroup package var options: GlobalOptions

    package init() {}
    package func validate() throws { try reading.check(options) }

    package func run(_ incidents: Incidents, _ console: Console) async throws {
        let model = await IncidentListModel(incidents)
        await model.load(reading.policy(options))
        guard let snapshot = await model.snapshot else { throw await model.error ?? DomainError.cancelled }
        try console.list(snapshot, empty: "There are no incidents yet; 'incidents add' adds one.")
    }
}

/// `incidents show ID [--refresh]`.
package struct IncidentShowCommand: IncidentsCommand {
    package static let configuration = CommandConfiguration(commandName: "show", abstract: "Show an incident.")

    @Argument(help: "From 'incidents list'.")
    package var id: Incident.ID
    @OptionGroup var reading: ReadingOption
    @OptionGroup package var options: GlobalOptions

    package init() {}
    package func validate() throws { try reading.check(options) }

    package func run(_ incidents: Incidents, _ console: Console) async throws {
        try console.show(try await incidents.show(id, reading.policy(options)))
    }
}

extension Incident.Severity: ExpressibleByArgument {}
extension Incident.Phase: ExpressibleByArgument {}
