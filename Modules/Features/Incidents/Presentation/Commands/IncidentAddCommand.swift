package import ArgumentParser
package import FoundationEssentials
package import IncidentsDomain
import StrataDomain
package import StrataTerminal

/// `incidents add`.
package struct IncidentAddCommand: IncidentsCommand {
    package static let configuration = CommandConfiguration(commandName: "add", abstract: "Add an incident.")

    @Option(help: "Title: one line of 1 to 200 bytes.")
    package var title: String
    @Option(help: "Alias: one line of 1 to 200 bytes.")
    package var alias: String?
    @Option(help: "Details: up to 64 KiB of text.")
    package var details: String
    @Option(help: "Note: up to 64 KiB of text.")
    package var note: String?
    @Option(help: "Severity: one of low, high.")
    package var severity: Incident.Severity
    @Option(help: "Phase: one of opened, inReview, closed.")
    package var phase: Incident.Phase?
    @Option(help: "Started at: a time like 2026-11-21T09:05:00Z.")
    package var startedAt: Moment
    @Option(help: "Ended at: a time like 2026-11-21T09:05:00Z.")
    package var endedAt: Moment?
    @Option(parsing: .unconditional, help: "Count: a whole number.")
    package var count: Int
    @Option(parsing: .unconditional, help: "Size: -5 to 5.")
    package var size: Int?
    @Option(parsing: .unconditional, help: "Load: a number.")
    package var load: Double
    @Option(parsing: .unconditional, help: "Ratio: a number.")
    package var ratio: Double?
    @Option(help: "Is public: true or false.")
    package var isPublic: Bool
    @Option(help: "Done: true or false.")
    package var done: Bool?
    @Option(help: "Device: a UUID.")
    package var device: UUID
    @Option(help: "Peer: a UUID.")
    package var peer: UUID?
    @Option(help: "Page: an http or https address.")
    package var page: URL
    @Option(help: "Link: an http or https address.")
    package var link: URL?
    @Option(help: "Owner: an id.")
    package var owner: Incident.OwnerID
    @Option(help: "Runbook: an id.")
    package var runbook: Incident.RunbookID?
    @Option(help: "Slug: one line of 8 to 20 bytes.")
    package var slug: String
    @Option(help: "Token: up to 64 KiB of text.")
    package var token: String?
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ incidents: Incidents, _ console: Console) async throws {
        let added = try await incidents.add(
            Incident(
                title: title,
                alias: alias,
                details: details,
                note: note,
                severity: severity,
                phase: phase,
                startedAt: startedAt.date,
                endedAt: endedAt?.date,
                count: count,
                size: size,
                load: load,
                ratio: ratio,
                isPublic: isPublic,
                done: done,
                device: device,
                peer: peer,
                page: page,
                link: link,
                owner: owner,
                runbook: runbook,
                slug: slug,
                token: token,
            ))
        try console.confirm(added, "added")
    }
}
