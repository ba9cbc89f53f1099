import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataTerminal

extension Console {
    /// The report as text.
    func write(_ report: Report) {
        out(Text("Journal", .bold) + Text(report.periodText(times)))
        out(report.countText)
        if report.unsynced > 0 { out("not confirmed by the server yet: \(report.unsynced)") }
        section("Hosts", hosts(report))
        section("Warnings and worse", timeline(report))
        section("Runbooks followed", runbooks(report))
    }

    private func section(_ title: String, _ content: Table) {
        if content.isEmpty { return }
        out("")
        out(Text(title, .bold))
        table(content, empty: "")
    }

    private func hosts(_ report: Report) -> Table {
        var table = Table([
            .init("HOST", isFlexible: true), .init("ENTRIES", isRightAligned: true),
            .init("CRITICAL", isRightAligned: true), .init("WARNING", isRightAligned: true),
            .init("INFO", isRightAligned: true),
        ])
        for host in report.hosts {
            table.add([
                .init(host.host), .init("\(host.total)"), .init("\(host.severities.critical)"),
                .init("\(host.severities.warning)"), .init("\(host.severities.info)"),
            ])
        }
        return table
    }

    private func timeline(_ report: Report) -> Table {
        let hasAuthors = report.hasAuthors
        var table = Table(
            [.time("TIME"), .init("HOST"), .init("SEVERITY")] + (hasAuthors ? [.init("AUTHOR")] : [])
                + [.init("TEXT", isFlexible: true)])
        for event in report.timeline {
            table.add(
                [
                    .init(event.occurredAt), .init(event.host),
                    .init(event.severity.rawValue, event.severity.style),
                ] + (hasAuthors ? [.init(event.author ?? "")] : []) + [.init(event.text)])
        }
        return table
    }

    private func runbooks(_ report: Report) -> Table {
        var table = Table([.id("RUNBOOK"), .init("ENTRIES", isRightAligned: true)])
        for runbook in report.runbooks { table.add([.init(runbook.runbookId), .init("\(runbook.entries)")]) }
        return table
    }
}

extension Report {
    /// ` since … until …`.
    func periodText(_ times: TimeText) -> String {
        let start = since.map { " since \(times.point($0))" } ?? " from its beginning"
        return start + " until \(times.point(createdAt))"
    }

    /// Whether an entry of the timeline has an author; entries from before authors were recorded have none.
    var hasAuthors: Bool { timeline.contains { $0.author != nil } }

    var countText: String {
        "\(total) entries: \(severities.critical) critical, \(severities.warning) warning, \(severities.info) info"
    }
}
