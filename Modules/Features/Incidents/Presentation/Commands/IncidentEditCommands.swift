package import ArgumentParser
package import FoundationEssentials
package import IncidentsDomain
package import StrataDomain
package import StrataTerminal

/// `incidents edit ID`.
package struct IncidentEditCommand: IncidentsCommand {
    package static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change an incident; what is not given stays as it is.")

    @Argument(help: "From 'incidents list'.")
    package var id: Incident.ID
    @Option(help: "Title: one line of 1 to 200 bytes.")
    package var title: String?
    @Option(help: "Alias: one line of 1 to 200 bytes.")
    package var alias: String?
    @Option(help: "Details: up to 64 KiB of text.")
    package var details: String?
    @Option(help: "Note: up to 64 KiB of text.")
    package var note: String?
    @Option(help: "Severity: one of low, high.")
    package var severity: Incident.Severity?
    @Option(help: "Phase: one of opened, inReview, closed.")
    package var phase: Incident.Phase?
    @Option(help: "Started at: a time like 2026-11-21T09:05:00Z.")
    package var startedAt: Moment?
    @Option(help: "Ended at: a time like 2026-11-21T09:05:00Z.")
    package var endedAt: Moment?
    @Option(parsing: .unconditional, help: "Count: a whole number.")
    package var count: Int?
    @Option(parsing: .unconditional, help: "Size: -5 to 5.")
    package var size: Int?
    @Option(parsing: .unconditional, help: "Load: a number.")
    package var load: Double?
    @Option(parsing: .unconditional, help: "Ratio: a number.")
    package var ratio: Double?
    @Option(help: "Is public: true or false.")
    package var isPublic: Bool?
    @Option(help: "Done: true or false.")
    package var done: Bool?
    @Option(help: "Device: a UUID.")
    package var device: UUID?
    @Option(help: "Peer: a UUID.")
    package var peer: UUID?
    @Option(help: "Page: an http or https address.")
    package var page: URL?
    @Option(help: "Link: an http or https address.")
    package var link: URL?
    @Option(help: "Owner: an id.")
    package var owner: Incident.OwnerID?
    @Option(help: "Runbook: an id.")
    package var runbook: Incident.RunbookID?
    @Option(help: "Slug: one line of 8 to 20 bytes.")
    package var slug: String?
    @Option(help: "Token: up to 64 KiB of text.")
    package var token: String?
    @Option(help: "A field to leave without a value; may be repeated.")
    package var clear: [String] = []
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ incidents: Incidents, _ console: Console) async throws {
        let edited = try await incidents.edit(id) { incident throws(DomainError) in
            incident = try incident.clearing(clear)
            if let title { incident.title = title }
            if let alias { incident.alias = alias }
            if let details { incident.details = details }
            if let note { incident.note = note }
            if let severity { incident.severity = severity }
            if let phase { incident.phase = phase }
            if let startedAt { incident.startedAt = startedAt.date }
            if let endedAt { incident.endedAt = endedAt.date }
            if let count { incident.count = count }
            if let size { incident.size = size }
            if let load { incident.load = load }
            if let ratio { incident.ratio = ratio }
            if let isPublic { incident.isPublic = isPublic }
            if let done { incident.done = done }
            if let device { incident.device = device }
            if let peer { incident.peer = peer }
            if let page { incident.page = page }
            if let link { incident.link = link }
            if let owner { incident.owner = owner }
            if let runbook { incident.runbook = runbook }
            if let slug { incident.slug = slug }
            if let token { incident.token = token }
        }
        try console.confirm(edited, "changed")
    }
}

/// `incidents rm ID`.
package struct IncidentRemoveCommand: IncidentsCommand {
    package static let configuration = CommandConfiguration(commandName: "rm", abstract: "Remove an incident.")

    @Argument(help: "From 'incidents list'.")
    package var id: Incident.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ incidents: Incidents, _ console: Console) async throws {
        try await incidents.remove(id)
        try console.confirm(id.rawValue, "removed")
    }
}
