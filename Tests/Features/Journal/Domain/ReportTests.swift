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
        let journal = JournalDouble([.sample("old", at: .newYear - 60), .sample("new", at: .newYear + 60)])
        let clock = ManualWallClock(.newYear + 100)
        let report = try await Journal(
            EntityUseCases(journal.entries), importLog: journal.importLog(), clock: clock
        ).report(since: .newYear)
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

    @Test func `the hours of a report are those with entries, and add up to its total`() {
        let report = Report(
            of: [
                .sample("e1", at: .newYear + 7199), .sample("e2", severity: .critical, at: .newYear + 3600),
                .sample("e3", at: .newYear + 90_000), .sample("e4", at: .newYear - 1),
            ], since: nil, createdAt: .newYear + 100_000)
        #expect(report.hours.map { Int($0.start.timeIntervalSince(.newYear)) } == [-3600, 3600, 90_000])
        #expect(report.hours.map(\.severities.total) == [1, 2, 1])
    }

    @Test func `a gap is a period of an hour or more without an entry, also at both ends`() {
        let report = Report(
            of: [
                .sample("e1", at: .newYear + 3700), .sample("e2", at: .newYear + 7250),
                .sample("e3", at: .newYear + 7300), .sample("e4", at: .newYear + 20_000),
            ], since: .newYear, createdAt: .newYear + 40_000)
        let starts = report.gaps.map { Int($0.start.timeIntervalSince(.newYear)) }
        #expect(starts == [0, 7300, 20_000])
        #expect(report.gaps.map { Int($0.duration) } == [3700, 12_700, 20_000])
    }

    @Test func `only the ten longest gaps are reported`() {
        let items = (1...30).map { number in
            Stored<JournalEntry>.sample("e\(number)", at: .newYear + Double(number * number * 3600))
        }
        let report = Report(of: items, since: nil, createdAt: .newYear + 900 * 3600)
        #expect(report.gaps.count == 10)
        let longest = (20...29).map { Double(($0 * 2 + 1) * 3600) }
        #expect(report.gaps.map(\.duration) == longest)
    }

    @Test func `entries that the server has not confirmed are named with their state`() {
        let report = Report(
            of: [
                .sample("e2", at: .newYear + 1, state: .rejected), .sample("e1", at: .newYear, state: .queued),
                .sample("e3"),
            ], since: nil, createdAt: .newYear)
        #expect(report.unconfirmed.map(\.id.rawValue) == ["e1", "e2"])
        #expect(report.unconfirmed.map(\.syncState) == [.queued, .rejected])
    }

    @Test func `of many unconfirmed entries all are counted, and the latest thousand are named`() {
        let numbers = (0..<4_999).map { $0 * 2_003 % 4_999 }
        let report = Report(
            of: numbers.map { .sample("e\($0)", at: .newYear + Double($0), state: .queued) }, since: nil,
            createdAt: .newYear)
        #expect(report.unsynced == 4_999)
        #expect(report.unconfirmed.map(\.id.rawValue) == (3_999..<4_999).map { "e\($0)" })
    }

    /// Hours of a period from one to a hundred thousand, which is eleven years.
    @Test(arguments: [1, 2, 24, 25, 186, 187, 744, 5000, 100_000])
    func `every entry is in one bar of the plot and in one bar of one part`(hours: Int) {
        var random = SeededRandom(seed: UInt64(hours))
        let items = (0..<200).map { number in
            Stored<JournalEntry>.sample(
                "e\(number)", severity: Severity.allCases[number % 3],
                at: .newYear + Double(Int.random(in: 0..<(hours * 3600), using: &random)))
        }
        let report = Report(of: items, since: .newYear, createdAt: .newYear + Double(hours) * 3600)
        let whole = report.histogram(atMost: 186)
        #expect(whole.bars.count <= 186)
        #expect(whole.bars.map(\.critical).reduce(0, +) == report.severities.critical)
        #expect(whole.bars.map(\.total).reduce(0, +) == 200)
        #expect(whole.start <= .newYear && whole.end >= report.createdAt)

        let parts = report.parts(atMost: 31, bars: 168) { _ in 10 }
        #expect(parts.isEmpty == (hours <= 24))
        if parts.isEmpty { return }
        #expect(parts.count <= 31 && parts.allSatisfy { $0.bars.count <= 168 })
        let bars = parts.flatMap(\.bars)
        #expect(bars.map(\.total).reduce(0, +) == 200)
    }
}
