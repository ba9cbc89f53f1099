import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataTesting
import Testing

@Suite struct `A report` {
    @Test func `a report counts by severity and host, and its timeline holds the serious entries`() {
        let report = Report(
            of: [
                .sample("e4", host: "web2", severity: .critical, text: "down", at: .newYear + 40, runbookId: "r2"),
                .sample("e1", host: "web1", text: "deployed", at: .newYear + 10, runbookId: "r1"),
                .sample("e3", host: "web1", severity: .warning, text: "slow", at: .newYear + 30, runbookId: "r2"),
                .sample("e2", host: "db1", at: .newYear + 20, state: .queued),
                .sample("e5", host: "web1", at: .newYear + 50, state: .conflicted),
            ], since: .newYear, createdAt: .newYear + 60)
        #expect(report.total == 5)
        #expect((report.severities.info, report.severities.warning, report.severities.critical) == (3, 1, 1))
        #expect(report.hosts.map(\.host) == ["web1", "db1", "web2"])
        #expect(report.hosts.map(\.total) == [3, 1, 1])
        #expect(report.timeline.map(\.id.rawValue) == ["e3", "e4"])
        #expect(report.runbooks.map(\.runbookId) == ["r2", "r1"])
        #expect(report.unsynced == 2)
    }

    @Test func `a report of no entries has no host, no timeline and no runbook`() {
        let report = Report(of: [], since: nil, createdAt: .newYear)
        #expect(report.total == 0)
        #expect(report.hosts.isEmpty && report.timeline.isEmpty && report.runbooks.isEmpty)
    }

    @Test func `a report does not depend on the order of the entries`() {
        var random = SeededRandom(seed: 7)
        let items = (0..<40).map { number in
            Stored<JournalEntry>.sample(
                "e\(number)", host: "h\(number % 5)", severity: Severity.allCases[number % 3],
                at: .newYear + Double(number % 4),
                runbookId: number % 2 == 0 ? "r\(number % 6)" : nil)
        }
        let expected = Report(of: items, since: nil, createdAt: .newYear)
        for _ in 0..<20 {
            #expect(Report(of: items.shuffled(using: &random), since: nil, createdAt: .newYear) == expected)
        }
    }

    @Test func `a report covers only entries since its start`() async throws {
        let journal = FakeJournalRepository([.sample("old", at: .newYear - 60), .sample("new", at: .newYear + 60)])
        let clock = ManualWallClock(.newYear + 100)
        let report = try await WriteReport(journal, clock: clock)(since: .newYear)
        #expect(report.total == 1)
        #expect(report.since == .newYear)
        #expect(report.createdAt == clock.now)
    }

    @Test func `a report as JSON has the names of the wire and can be read back`() throws {
        let report = Report(of: [.sample(severity: .critical, runbookId: "r1")], since: nil, createdAt: .newYear)
        let json = try JSONValue(encoding: report)
        #expect(json.object?["created_at"]?.string == "2026-01-01T10:00:00.000Z")
        #expect(try json.decode(Report.self) == report)
    }
}
