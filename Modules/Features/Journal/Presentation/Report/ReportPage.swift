import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataHTTP
import StrataTerminal

/// The report as one HTML page that loads nothing and runs nothing, so that it works from a mail.
///
/// Every table has a limit in bytes; together they keep the page below 2 MB, whatever the journal holds.
struct ReportPage {
    private let report: Report
    private let times: TimeText

    init(_ report: Report, _ times: TimeText) {
        self.report = report
        self.times = times
    }

    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Journal\(HTMLText.escaped(report.periodText(times)))</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <header>
        <h1>Journal</h1>
        <p>\(HTMLText.escaped("Entries" + report.periodText(times)))</p>
        <p><strong>\(HTMLText.escaped(report.countText))</strong>\(unsynced)</p>
        </header>
        <main>
        \(report.total == 0 ? "" : ReportPlots(report, times).html)\(critical)\(warnings)\(unconfirmed)\(gaps)\(hosts)\
        \(people)\(runbooks)</main>
        </body>
        </html>

        """
    }

    private var unsynced: String {
        report.unsynced > 0 ? "<br>Not confirmed by the server yet: \(report.unsynced)" : ""
    }

    private var critical: String {
        events(
            "Critical", report.timeline.filter { $0.severity == .critical }, bytes: 600_000,
            more: "journal list --severity critical")
    }

    private var warnings: String {
        events(
            "Warnings", report.timeline.filter { $0.severity == .warning }, bytes: 200_000,
            more: "journal list --severity warning")
    }

    private var unconfirmed: String {
        events(
            "Not confirmed by the server", report.unconfirmed, of: report.unsynced, bytes: 100_000,
            more: "outbox list", isStateShown: true)
    }

    private var gaps: String {
        var table = HTMLTable("Longest periods without an entry", ["From", "Until", "Length"], bytes: 10_000)
        for gap in report.gaps {
            table.add([
                times.point(gap.start), times.point(gap.end), TimeText.age(of: gap.start, at: gap.end),
            ])
        }
        return table.html(of: report.gaps.count)
    }

    private var hosts: String {
        counts("Hosts", "Host", report.hosts.map { ($0.host, $0.severities) })
    }

    private var people: String {
        counts("People and machines that wrote", "Author", report.authors.map { ($0.author, $0.severities) })
    }

    private var runbooks: String {
        var table = HTMLTable("Runbooks followed", ["Runbook", "Entries"], bytes: 60_000)
        for runbook in report.runbooks { table.add([runbook.runbookId, "\(runbook.entries)"]) }
        return table.html(of: report.runbooks.count)
    }

    private func counts(_ title: String, _ column: String, _ rows: [(String, Report.SeverityCounts)]) -> String {
        var table = HTMLTable(title, [column, "Entries", "Critical", "Warning", "Info"], bytes: 60_000)
        for (name, counts) in rows { table.add([name, "\(counts.total)"] + counts.cells) }
        return table.html(of: rows.count)
    }

    /// - Parameters:
    ///   - events: Oldest first; the table has the latest of them that fit.
    ///   - more: The command that lists all.
    private func events(
        _ title: String, _ events: [Report.Event], of total: Int? = nil, bytes: Int, more: String,
        isStateShown: Bool = false
    ) -> String {
        let (hasAuthors, hasRunbooks) = (report.hasAuthors, events.contains { $0.runbookId != nil })
        var table = HTMLTable(
            title,
            ["Time", "Host"] + (hasAuthors ? ["Author"] : []) + (isStateShown ? ["State"] : []) + ["Text"]
                + (hasRunbooks ? ["Runbook"] : []), bytes: bytes)
        for event in events.reversed() {
            table.add(
                [times.point(event.occurredAt), event.host] + (hasAuthors ? [event.author ?? ""] : [])
                    + (isStateShown ? [event.syncState.rawValue] : []) + [event.text]
                    + (hasRunbooks ? [event.runbookId ?? ""] : []), style: event.severity.rawValue)
        }
        table.reverse()
        return table.html(of: total ?? events.count, more: more)
    }

    private static let style = """
        :root{color-scheme:light dark;--ink:#1b1f24;--dim:#57606a;--page:#fff;--line:#d0d7de;--critical:#b3261e;\
        --warning:#a15c00;--info:#5b7c99;--critical-row:#fdecea;--warning-row:#fdf3df}\
        @media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--dim:#9aa4af;--page:#14171b;--line:#363c44;\
        --critical:#ff7b72;--warning:#e3a13b;--info:#7fa3c2;--critical-row:#3a1715;--warning-row:#33260d}}\
        *{box-sizing:border-box}\
        body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:70rem;\
        margin:2rem auto;padding:0 1rem}\
        h2{margin:2rem 0 .5rem;font-size:1.25rem}a{color:inherit}\
        .wide{overflow-x:auto}table{border-collapse:collapse;width:100%}\
        th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--line);\
        white-space:pre-wrap;overflow-wrap:anywhere;min-width:4rem}th{font-weight:600;overflow-wrap:normal}\
        @media (max-width:40rem){body{font-size:14px}th,td{padding-right:.4rem;min-width:0}}\
        tr.critical td{background:var(--critical-row)}tr.warning td{background:var(--warning-row)}\
        figure{margin:0}figcaption,.note{color:var(--dim);font-size:.875rem}\
        svg{display:block;width:100%;height:2.5rem;border-bottom:1px solid var(--dim);fill:var(--of)}svg.info{height:6rem}\
        .critical{--of:var(--critical)}.warning{--of:var(--warning)}.info{--of:var(--info)}\
        a rect{fill:transparent}a:hover rect,a:focus rect{fill:var(--dim);fill-opacity:.2}\
        .ends{display:flex;justify-content:space-between;color:var(--dim);font-size:.875rem}\
        figcaption{margin-top:.5rem}figcaption::before{content:"";display:inline-block;width:.75em;height:.75em;\
        margin-right:.4em;background:var(--of)}td:first-child{overflow-wrap:normal}\
        .zoom{display:none}.zoom:target{display:block}\
        @media print{:root{--ink:#000;--dim:#444;--page:#fff;--line:#bbb;--critical:#b3261e;--warning:#c98a1b;\
        --info:#8fa9be;--critical-row:#fff;--warning-row:#fff}body{margin:0;max-width:none;font-size:10pt}\
        a{text-decoration:none}.zoom,.zoom:target{display:none}tr,figure{break-inside:avoid}h2{break-after:avoid}\
        svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
        """
}

extension Report.SeverityCounts {
    /// Critical, warning and info, as cells of a table.
    var cells: [String] { ["\(critical)", "\(warning)", "\(info)"] }
}
