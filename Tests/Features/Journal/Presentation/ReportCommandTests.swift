import ArgumentParser
import FoundationEssentials
import JournalDomain
import JournalPresentation
import StrataDomain
import StrataFeatureTesting
import StrataTerminal
import StrataTesting
import Testing

struct ReportCommandTests {
    private let double = JournalDouble([
        .sample("e1", severity: .critical, text: "<script>alert('1')</script> & \"so on\"\u{1B}[2J", state: .queued),
        .sample("e2", host: "db1", severity: .warning, text: "slow", at: .noon.addingTimeInterval(-60)),
        .sample("e3", at: .noon.addingTimeInterval(-100_000)),
    ])

    private func report(_ arguments: [String], json: Bool = false) async throws -> String {
        let (console, output, _) = Console.inMemory(json: json)
        try await ReportCommand.parse(arguments).run(double.journal(), console)
        return output.text
    }

    @Test func `the report is text for people`() async throws {
        #expect(
            try await report(["--since", "12h"]) == #"""
                Journal since 2026-11-21 00:00:00Z until 2026-11-21 12:00:00Z
                2 entries: 1 critical, 1 warning, 0 info
                per hour ···········██ at most 1
                not confirmed by the server yet: 1

                Hosts
                HOST  ENTRIES  CRITICAL  WARNING  INFO
                db1         1         0        1     0
                web1        1         1        0     0

                Warnings and worse
                TIME                  HOST  SEVERITY  TEXT
                2026-11-21 11:59:00Z  db1   warning   slow
                2026-11-21 12:00:00Z  web1  critical  <script>alert('1')</script> & "so on"\x1B[2J

                Longest periods without an entry
                FROM                  UNTIL                 LENGTH
                2026-11-21 00:00:00Z  2026-11-21 11:59:00Z    11 h

                """#)
    }

    @Test func `the report is a document for programs, either way it is asked for`() async throws {
        let text = try await report(["--format", "json"])
        #expect(try await report(["--json"], json: true) == text)
        let report = try WireJSON.decode(Report.self, from: Data(text.utf8))
        #expect(report.total == 3)
        #expect(report.timeline.map(\.id.rawValue) == ["e2", "e1"])
        #expect(text.contains(#""created_at":"2026-11-21T12:00:00.000Z""#))
    }

    @Test func `the page holds no markup but its own, and loads nothing`() async throws {
        let page = try await report(["--format", "html"])
        #expect(page.hasPrefix("<!doctype html>"))
        #expect(page.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;so on&quot;\u{FFFD}[2J"))
        #expect(!page.contains("<script") && !page.contains("\u{1B}"))
        #expect(!page.contains("http://") && !page.contains("https://") && !page.contains("src="))
        #expect(page.contains("default-src 'none'"))
        #expect(page.hasSuffix("</html>\n"))
    }

    @Test func `a report of nothing says so`() async throws {
        double.entries.change { $0.items = [] }
        #expect(try await report([]).contains("0 entries"))
        #expect(try await report(["--format", "html"]).contains("0 entries"))
    }

    @Test func `a combining mark hides no quotation mark from the escapes`() async throws {
        double.entries.change {
            $0.items = [
                .sample(host: "\"\u{301}onclick=x", severity: .critical, text: "<\u{338}b>&\u{301}\u{202E}", at: .noon)
            ]
        }
        let page = try await report(["--format", "html"])
        #expect(page.contains("&quot;\u{301}onclick=x"))
        #expect(page.contains("&lt;\u{338}b&gt;&amp;\u{301}\u{FFFD}"))
    }

    @Test func `the heights of the bars add up to the numbers of the tables`() async throws {
        double.entries.change { state in
            state.items = (0..<500).map { number in
                .sample(
                    "e\(number)", host: "h\(number % 7)", severity: Severity.allCases[number * number % 3],
                    at: .noon.addingTimeInterval(-Double(number * 7919 % 601_201)))
            }
        }
        let page = try await report(["--since", "7d", "--format", "html"])
        let plots = page.components(separatedBy: "<figure>").dropFirst().map {
            $0.components(separatedBy: "</figure>")[0]
        }
        let report = Report(of: double.entries.current.items, since: nil, createdAt: .noon)
        #expect(plots.count == 9)
        let all = [report.severities.critical, report.severities.warning, report.severities.info]
        #expect(Self.heights(plots[0]) == all)
        let sums = plots.dropFirst().map(Self.heights)
        for severity in 0..<3 {
            let heights = sums.map { $0[severity] }
            #expect(heights.reduce(0, +) == all[severity])
        }

        // The first table has a row for each part; then each part has a table with a row for each bar.
        let tables = page.components(separatedBy: "<tbody>").dropFirst().map { text in
            Self.numbers(text.components(separatedBy: "</tbody>")[0])
        }
        let parts = tables[0].map { Array($0.dropFirst()) }
        #expect(parts == Array(sums))
        for (number, sum) in sums.enumerated() {
            let rows = tables[number + 1]
            let entries = rows.map { $0[0] }
            #expect(entries.reduce(0, +) == sum.reduce(0, +))
            for severity in 0..<3 {
                let column = rows.map { $0[severity + 1] }
                #expect(column.reduce(0, +) == sum[severity])
            }
        }
    }

    /// Sums of the heights of critical, warning and info bars.
    private static func heights(_ plot: String) -> [Int] {
        func sum(_ name: String) -> Int {
            guard let path = plot.components(separatedBy: "<svg class=\"\(name)\"").dropFirst().first else { return 0 }
            return path.components(separatedBy: "/>")[0].components(separatedBy: "h9v-").dropFirst()
                .compactMap { Int($0.prefix { $0.isNumber }) }.reduce(0, +)
        }
        return ["critical", "warning", "info"].map(sum)
    }

    /// The rows of a table, without their first cell.
    private static func numbers(_ table: String) -> [[Int]] {
        table.components(separatedBy: "<tr>").dropFirst().map { row in
            row.components(separatedBy: "<td>").dropFirst(2).compactMap { Int($0.prefix { $0.isNumber }) }
        }
    }

    @Test func `a page of more than fits is below 2 MB and says what it leaves out`() async throws {
        double.entries.change { state in
            state.items = (0..<4000).map { number in
                .sample(
                    "e\(number)", host: "\(number)-" + String(repeating: "&", count: 200),
                    severity: Severity.allCases[number % 3], text: String(repeating: "\"", count: 600),
                    at: .noon.addingTimeInterval(-Double(number * 3500)), runbookId: "r\(number)", state: .queued)
            }
        }
        let page = try await report(["--format", "html"])
        #expect(page.utf8.count < 2_000_000)
        #expect(page.contains("of 1333 are shown here. <code>journal list --severity critical</code> lists all."))
        // The latest critical entry is there.
        #expect(page.contains("2026-11-21 11:01:40Z"))
    }

    @Test func `the report is written to a file, and standard output stays empty`() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/report.html"
        #expect(try await report(["--format", "html", "-o", path]).isEmpty)
        let printed = try await report(["--format", "html"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == printed)
        await #expect(throws: CommandFailure.self) { try await report(["-o", "\(directory.path)/none/report.txt"]) }
    }

    @Test(arguments: [["--open"], ["--open", "-o", "x"], ["--open", "--format", "html"], ["--open", "-o", "-"]])
    func `only a page in a file can be opened`(arguments: [String]) {
        #expect(throws: (any Error).self) { try ReportCommand.parse(arguments) }
    }
}
