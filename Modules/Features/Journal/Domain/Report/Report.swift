package import FoundationEssentials
package import StrataDomain

/// What happened since some moment, for the hand-over to the next shift. Its JSON is what programs get.
package struct Report: Sendable, Hashable, Codable {
    /// `nil` when the report goes back to the beginning.
    package var since: Date?
    package var createdAt: Date
    package var total: Int
    package var severities: SeverityCounts
    /// The hours that have entries, oldest first.
    package var hours: [HourCount]
    /// The longest periods of an hour or more without an entry, at most ten, oldest first.
    package var gaps: [Gap]
    /// The hosts with the most entries first.
    package var hosts: [HostCount]
    /// The users and hosts that wrote the most entries first; an entry has an author once the server has it.
    package var authors: [AuthorCount]
    /// Every warning and critical entry, oldest first.
    package var timeline: [Event]
    /// The runbooks that were followed, the most used first.
    package var runbooks: [RunbookCount]
    /// The number of entries that the server has not confirmed yet.
    package var unsynced: Int
    /// The latest 1000 of them, oldest first.
    package var unconfirmed: [Event]

    /// Seconds of an hour.
    static let hour: TimeInterval = 3600
    static let gapLimit = 10
    static let unconfirmedLimit = 1000

    package struct SeverityCounts: Sendable, Hashable, Codable {
        package var info = 0
        package var warning = 0
        package var critical = 0

        package init() {}

        package var total: Int { info + warning + critical }

        mutating func count(_ severity: Severity) {
            switch severity {
            case .info: info += 1
            case .warning: warning += 1
            case .critical: critical += 1
            }
        }

        mutating func add(_ other: SeverityCounts) {
            info += other.info
            warning += other.warning
            critical += other.critical
        }
    }

    package struct HourCount: Sendable, Hashable, Codable {
        /// A full hour of UTC.
        package var start: Date
        package var severities: SeverityCounts
    }

    package struct Gap: Sendable, Hashable, Codable {
        package var start: Date
        package var end: Date

        package var duration: TimeInterval { end.timeIntervalSince(start) }
    }

    package struct HostCount: Sendable, Hashable, Codable {
        package var host: String
        package var total: Int
        package var severities: SeverityCounts
    }

    package struct AuthorCount: Sendable, Hashable, Codable {
        package var author: String
        package var total: Int
        package var severities: SeverityCounts
    }

    package struct Event: Sendable, Hashable, Codable, Identifiable {
        package var id: JournalEntry.ID
        package var occurredAt: Date
        package var host: String
        package var severity: Severity
        package var text: String
        package var runbookId: String?
        /// The name of the user or host that wrote the entry; `nil` until the server has it.
        package var author: String?
        package var syncState: SyncState
    }

    package struct RunbookCount: Sendable, Hashable, Codable {
        package var runbookId: String
        package var entries: Int
    }
}

extension Report {
    /// - Parameter items: In any order.
    package init(of items: [Stored<JournalEntry>], since: Date?, createdAt: Date) {
        var tally = ReportTally()
        for item in items { tally.add(item) }
        self = tally.report(since: since, createdAt: createdAt)
    }
}

extension Report.Event {
    init(_ entry: Stored<JournalEntry>) {
        self.init(
            id: entry.id, occurredAt: entry.occurredAt, host: entry.host, severity: entry.severity, text: entry.text,
            runbookId: entry.runbookId, author: entry.author, syncState: entry.syncState)
    }
}
