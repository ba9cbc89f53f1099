import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataTerminal

/// The report as one HTML page that loads nothing.
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
        <meta name="viewport" content="width=device-width">
        <title>Journal\(HTMLText.escaped(report.periodText(times)))</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <h1>Journal</h1>
        <p>\(HTMLText.escaped("Entries" + report.periodText(times)))</p>
        <p>\(HTMLText.escaped(report.countText))\(unsynced)</p>
        \(hosts)\(timeline)\(runbooks)</body>
        </html>

        """
    }

    private var unsynced: String {
        report.unsynced > 0 ? "<br>Not confirmed by the server yet: \(report.unsynced)" : ""
    }

    private var hosts: String {
        table(
            "Hosts", ["Host", "Entries", "Critical", "Warning", "Info"],
            report.hosts.map { host in
                let counts = host.severities
                return Row([
                    host.host, "\(host.total)", "\(counts.critical)", "\(counts.warning)", "\(counts.info)",
                ])
            })
    }

    private var timeline: String {
        table(
            "Warnings and worse", ["Time", "Host", "Severity"] + (report.hasAuthors ? ["Author"] : []) + ["Text"],
            report.timeline.map { event in
                Row(
                    [times.point(event.occurredAt), event.host, event.severity.rawValue]
                        + (report.hasAuthors ? [event.author ?? ""] : []) + [event.text],
                    style: event.severity.rawValue)
            })
    }

    private var runbooks: String {
        table(
            "Runbooks followed", ["Runbook", "Entries"],
            report.runbooks.map { Row([$0.runbookId, "\($0.entries)"]) })
    }

    private struct Row {
        var cells: [String]
        var style: String

        init(_ cells: [String], style: String = "plain") {
            self.cells = cells
            self.style = style
        }
    }

    private func table(_ title: String, _ columns: [String], _ rows: [Row]) -> String {
        if rows.isEmpty { return "" }
        let head = columns.map { "<th>\(HTMLText.escaped($0))</th>" }.joined()
        let body = rows.map { row in
            let cells = row.cells.map { "<td>\(HTMLText.escaped($0))</td>" }.joined()
            return "<tr class=\"\(HTMLText.escaped(row.style))\">\(cells)</tr>\n"
        }
        return "<h2>\(HTMLText.escaped(title))</h2>\n<table>\n<tr>\(head)</tr>\n\(body.joined())</table>\n"
    }

    private static let style = """
        body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}\
        table{border-collapse:collapse;width:100%}\
        th,td{text-align:left;vertical-align:top;padding:.25rem .75rem;border-bottom:1px solid #ddd;white-space:pre-wrap}\
        tr.critical td{background:#fde8e8}tr.warning td{background:#fef6dc}
        """
}
