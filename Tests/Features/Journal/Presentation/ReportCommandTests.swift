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
    private let repository = FakeJournalRepository([
        .sample("e1", severity: .critical, text: "<script>alert('1')</script> & \"so on\"\u{1B}[2J", state: .queued),
        .sample("e2", host: "db1", severity: .warning, text: "slow", at: .noon.addingTimeInterval(-60)),
        .sample("e3", at: .noon.addingTimeInterval(-100_000)),
    ])

    private func report(_ arguments: [String], json: Bool = false) async throws -> String {
        let (console, output, _) = Console.inMemory(json: json)
        let journal = Journal(repository, identity: SmallDigest(), clock: ManualWallClock(.noon), timeZone: .gmt)
        try await ReportCommand.parse(arguments).run(journal, console)
        return output.text
    }

    @Test func `the report is text for people`() async throws {
        #expect(
            try await report(["--since", "12h"]) == #"""
                Journal since 2026-11-21 00:00:00Z until 2026-11-21 12:00:00Z
                2 entries: 1 critical, 1 warning, 0 info
                not confirmed by the server yet: 1

                Hosts
                HOST  ENTRIES  CRITICAL  WARNING  INFO
                db1         1         0        1     0
                web1        1         1        0     0

                Warnings and worse
                TIME                  HOST  SEVERITY  TEXT
                2026-11-21 11:59:00Z  db1   warning   slow
                2026-11-21 12:00:00Z  web1  critical  <script>alert('1')</script> & "so on"\x1B[2J

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
        repository.change { $0.items = [] }
        #expect(try await report([]).contains("0 entries"))
        #expect(try await report(["--format", "html"]).contains("0 entries"))
    }
}
