package import FoundationEssentials
package import StrataDomain

/// What a report keeps of entries that go by one at a time: counts, and those that its timeline shows.
package struct ReportTally: Sendable {
    private var total = 0
    private var unsynced = 0
    private var severities = Report.SeverityCounts()
    private var byHost: [String: Report.SeverityCounts] = [:]
    private var byRunbook: [String: Int] = [:]
    private var timeline: [Report.Event] = []

    package init() {}

    package mutating func add(_ entry: Stored<JournalEntry>) {
        total += 1
        if entry.syncState != .synced { unsynced += 1 }
        severities.count(entry.severity)
        byHost[entry.host, default: Report.SeverityCounts()].count(entry.severity)
        if let runbook = entry.runbookId { byRunbook[runbook, default: 0] += 1 }
        if entry.severity != .info { timeline.append(Report.Event(entry)) }
    }

    package func report(since: Date?, createdAt: Date) -> Report {
        Report(
            since: since, createdAt: createdAt, total: total, severities: severities,
            hosts: byHost.map { .init(host: $0, total: $1.info + $1.warning + $1.critical, severities: $1) }
                .sorted { ($1.total, $0.host) < ($0.total, $1.host) },
            timeline: timeline.sorted { ($0.occurredAt, $0.id.rawValue) < ($1.occurredAt, $1.id.rawValue) },
            runbooks: byRunbook.map { .init(runbookId: $0, entries: $1) }
                .sorted { ($1.entries, $0.runbookId) < ($0.entries, $1.runbookId) },
            unsynced: unsynced)
    }
}
