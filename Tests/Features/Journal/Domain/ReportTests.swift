import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataTesting
import Testing

@Suite struct `A report` {
    @Test func `counts, sorts and keeps what was serious`() {
        let report = Report(
            of: [
                .example("e4", host: "web2", severity: .critical, text: "down", after: 40, runbookId: "r2"),
                .example("e1", host: "web1", text: "deployed", after: 10, runbookId: "r1"),
                .example("e3", host: "web1", severity: .warning, text: "slow", after: 30, runbookId: "r2"),
                .example("e2", host: "db1", after: 20, state: .queued),
                .example("e5", host: "web1", after: 50, state: .conflicted),
            ], since: .newYear, createdAt: .newYear.addingTimeInterval(60))
        #expect(report.total == 5)
        #expect((report.severities.info, report.severities.warning, report.severities.critical) == (3, 1, 1))
        #expect(report.hosts.map(\.host) == ["web1", "db1", "web2"])
        #expect(report.hosts.map(\.total) == [3, 1, 1])
        #expect(report.timeline.map(\.id.rawValue) == ["e3", "e4"])
        #expect(report.runbooks.map(\.runbookId) == ["r2", "r1"])
        #expect(report.unsynced == 2)
    }

    @Test func `of nothing is empty`() {
        let report = Report(of: [], since: nil, createdAt: .newYear)
        #expect(report.total == 0)
        #expect(report.hosts.isEmpty && report.timeline.isEmpty && report.runbooks.isEmpty)
    }

    @Test func `is the same whatever order the entries come in`() {
        var random = SeededRandom(seed: 7)
        let items = (0..<40).map { number in
            JournalItem.example(
                "e\(number)", host: "h\(number % 5)", severity: Severity.allCases[number % 3],
                after: Double(number % 4),
                runbookId: number % 2 == 0 ? "r\(number % 6)" : nil)
        }
        let expected = Report(of: items, since: nil, createdAt: .newYear)
        for _ in 0..<20 {
            #expect(Report(of: items.shuffled(using: &random), since: nil, createdAt: .newYear) == expected)
        }
    }

    @Test func `asks the journal for what happened since`() async throws {
        let journal = FakeJournalRepository([.example("old", after: -60), .example("new", after: 60)])
        let clock = ManualWallClock(.newYear.addingTimeInterval(100))
        let report = try await WriteReport(journal, clock: clock)(since: .newYear)
        #expect(report.total == 1)
        #expect(report.since == .newYear)
        #expect(report.createdAt == clock.now)
    }

    @Test func `is JSON with the wire's names`() throws {
        let report = Report(of: [.example(severity: .critical, runbookId: "r1")], since: nil, createdAt: .newYear)
        let json = try JSONValue(encoding: report)
        #expect(json.object?["created_at"]?.string == "2026-01-01T10:00:00.000Z")
        #expect(try json.decode(Report.self) == report)
    }
}
