import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataTerminal

extension Console {
    /// The report as text.
    func write(_ report: Report) {
        out(Text("Journal", .bold) + Text(report.periodText(times)))
        out(report.countText)
        if report.total > 0 { out(report.sparkline) }
        if report.unsynced > 0 { out("not confirmed by the server yet: \(report.unsynced)") }
        section("Hosts", counts("HOST", report.hosts.map { ($0.host, $0.severities) }))
        section("People and machines that wrote", counts("AUTHOR", report.authors.map { ($0.author, $0.severities) }))
        section("Warnings and worse", timeline(report))
        section("Runbooks followed", runbooks(report))
        section("Longest periods without an entry", gaps(report))
    }

    private func section(_ title: String, _ content: Table) {
        if content.isEmpty { return }
        out("")
        out(Text(title, .bold))
        table(content, empty: "")
    }

    private func counts(_ column: String, _ rows: [(String, Report.SeverityCounts)]) -> Table {
        var table = Table([
            .init(column, isFlexible: true), .init("ENTRIES", isRightAligned: true),
            .init("CRITICAL", isRightAligned: true), .init("WARNING", isRightAligned: true),
            .init("INFO", isRightAligned: true),
        ])
        for (name, counts) in rows {
            table.add([.init(name), .init("\(counts.total)")] + counts.cells.map { .init($0) })
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

    private func gaps(_ report: Report) -> Table {
        var table = Table([.time("FROM"), .time("UNTIL"), .init("LENGTH", isRightAligned: true)])
        for gap in report.gaps {
            table.add([.init(gap.start), .init(gap.end), .init(TimeText.age(of: gap.start, at: gap.end))])
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

    /// The entries of the period in at most 60 steps, a character each: `per hour ▁·█ at most 12`.
    var sparkline: String {
        let plot = histogram(atMost: 60)
        let levels = Array("▁▂▃▄▅▆▇█")
        let bars = plot.bars.map { bar in
            bar.total == 0 ? "·" : levels[max(0, (bar.total * levels.count + plot.highest - 1) / plot.highest - 1)]
        }
        let unit = plot.step == 1 ? "hour" : "\(plot.step) hours"
        return "per \(unit) \(String(bars)) at most \(plot.highest)"
    }

    var countText: String {
        "\(total) entries: \(severities.critical) critical, \(severities.warning) warning, \(severities.info) info"
    }
}
