package import FoundationEssentials
package import StrataDomain

/// What a report keeps of entries that go by one at a time: counts, and those that its timeline shows.
package struct ReportTally: Sendable {
    private var total = 0
    private var severities = Report.SeverityCounts()
    private var byHour: [Int: Hour] = [:]
    private var byHost: [String: Report.SeverityCounts] = [:]
    private var byAuthor: [String: Report.SeverityCounts] = [:]
    private var byRunbook: [String: Int] = [:]
    private var timeline: [Report.Event] = []
    private var unsynced = 0
    /// The latest of them and some more; a journal may hold a million.
    private var unconfirmed: [Report.Event] = []

    /// Entries of one hour; the hours are counted from 1970.
    private struct Hour {
        var severities = Report.SeverityCounts()
        var first: Date
        var last: Date
    }

    package init() {}

    package mutating func add(_ entry: Stored<JournalEntry>) {
        total += 1
        if entry.syncState != .synced { addUnconfirmed(Report.Event(entry)) }
        severities.count(entry.severity)
        add(entry.severity, at: entry.occurredAt)
        byHost[entry.host, default: Report.SeverityCounts()].count(entry.severity)
        if let author = entry.author { byAuthor[author, default: Report.SeverityCounts()].count(entry.severity) }
        if let runbook = entry.runbookId { byRunbook[runbook, default: 0] += 1 }
        if entry.severity != .info { timeline.append(Report.Event(entry)) }
    }

    private mutating func addUnconfirmed(_ event: Report.Event) {
        unsynced += 1
        unconfirmed.append(event)
        if unconfirmed.count == 2 * Report.unconfirmedLimit { unconfirmed = unconfirmed.latest }
    }

    private mutating func add(_ severity: Severity, at date: Date) {
        let number = Int((date.timeIntervalSince1970 / Report.hour).rounded(.down))
        var hour = byHour[number] ?? Hour(first: date, last: date)
        hour.severities.count(severity)
        (hour.first, hour.last) = (min(hour.first, date), max(hour.last, date))
        byHour[number] = hour
    }

    package func report(since: Date?, createdAt: Date) -> Report {
        let hours = byHour.sorted { $0.key < $1.key }
        return Report(
            since: since, createdAt: createdAt, total: total, severities: severities,
            hours: hours.map { number, hour in
                .init(start: Date(timeIntervalSince1970: Double(number) * Report.hour), severities: hour.severities)
            },
            gaps: Self.gaps(hours.map(\.value), since: since, until: createdAt),
            hosts: byHost.map { .init(host: $0, total: $1.total, severities: $1) }
                .sorted { ($1.total, $0.host) < ($0.total, $1.host) },
            authors: byAuthor.map { .init(author: $0, total: $1.total, severities: $1) }
                .sorted { ($1.total, $0.author) < ($0.total, $1.author) },
            timeline: timeline.inOrder,
            runbooks: byRunbook.map { .init(runbookId: $0, entries: $1) }
                .sorted { ($1.entries, $0.runbookId) < ($0.entries, $1.runbookId) },
            unsynced: unsynced, unconfirmed: unconfirmed.latest)
    }

    /// The longest periods without an entry, oldest first. A period of an hour or more has its ends in two different hours.
    private static func gaps(_ hours: [Hour], since: Date?, until end: Date) -> [Report.Gap] {
        guard let first = hours.first, let last = hours.last else { return [] }
        var gaps = zip(hours, hours.dropFirst()).map { Report.Gap(start: $0.last, end: $1.first) }
        if let since { gaps.append(.init(start: since, end: first.first)) }
        gaps.append(.init(start: last.last, end: end))
        let longest = gaps.filter { $0.duration >= Report.hour }
            .sorted { ($1.duration, $0.start) < ($0.duration, $1.start) }
        return longest.prefix(Report.gapLimit).sorted { $0.start < $1.start }
    }
}

extension [Report.Event] {
    fileprivate var latest: Self { Array(inOrder.suffix(Report.unconfirmedLimit)) }
    fileprivate var inOrder: Self { sorted { ($0.occurredAt, $0.id.rawValue) < ($1.occurredAt, $1.id.rawValue) } }
}
