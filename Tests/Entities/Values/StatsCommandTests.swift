import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataTerminal
import StrataTesting
import Testing

struct StatsCommandTests {
    private typealias Stats = EntityStatsCommand<FieldsView<Watch>>

    private let memory = MemoryEntityRepository<Watch>(
        [
            Watch(place: "Roof", team: .day, isLate: true, hours: 1.5, visits: 2, startsAt: .noon),
            Watch(place: "Roof", team: .day, isLate: true, hours: 2, startsAt: .noon.addingTimeInterval(3600)),
            Watch(team: .night, isLate: false, startsAt: .noon.addingTimeInterval(86_400)), Watch(isLate: false),
        ].enumerated().map { Stored(id: Watch.ID("w-\($0)"), $1, version: 1, updatedAt: .noon) })

    private func run(_ words: String..., json: Bool = false) async throws -> (output: String, errors: String) {
        let (console, output, errors) = Console.inMemory(json: json, width: 200)
        try await Stats.parse(words).run(EntityUseCases(memory), console)
        return (output.text, errors.text)
    }

    /// The cells of each line.
    private func cells(_ text: String) -> [[String]] {
        text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }

    @Test func `a table has a column for each group, the count and each sum`() async throws {
        #expect(
            try await cells(run("per-day").output) == [
                ["DAY", "UTC", "TEAM", "IS", "LATE", "COUNT", "HOURS", "VISITS"],
                ["2026-11-21", "day", "yes", "2", "3.5", "2"], ["2026-11-22", "night", "no", "1", "0.0", "0"],
                ["none", "none", "no", "1", "0.0", "0"],
            ])
        #expect(try await cells(run("per-month").output).map(\.first) == ["MONTH", "2026-11", "none"])
        #expect(try await cells(run("by-place").output).map(\.first) == ["PLACE", "Roof", "none"])
    }

    @Test func `without a name it is the first, and since and until choose`() async throws {
        let lines = try await cells(run("--since", "2026-11-21T12:30:00Z", "--until", "2026-11-22T12:00:00Z").output)
        #expect(lines == [["HOUR", "UTC", "COUNT"], ["2026-11-21", "13:00", "1"]])
        #expect(
            try await run("per-hour", "--team", "night", "--search", "x").errors.contains("No watches are like this"))
    }

    @Test func `the line of freshness follows the counts of an offline store`() async throws {
        var upkeep = ListUpkeep()
        upkeep.status = { SyncStatus(pending: 2, rejected: 0, conflicts: 0, lastSyncedAt: nil) }
        let (console, _, errors) = Console.inMemory()
        try await Stats.parse([]).run(EntityUseCases(memory, upkeep: upkeep), console)
        #expect(errors.lines == ["2 unsent · never synced"])
    }

    @Test func `JSON has the rows of the server`() async throws {
        let output = try await run("total", json: true).output
        let rows = try WireJSON.decode([AggregateRow].self, from: Data(output.utf8))
        #expect(rows == [AggregateRow(count: 4, sums: ["hours": .number(3.5), "visits": .integer(2)])])
    }

    @Test func `what the aggregate cannot use is an error before anything is read`() async throws {
        for words in [["per-year"], ["total", "--since", "1h"]] {
            let (console, _, _) = Console.inMemory()
            let error = await #expect(throws: DomainError.self) {
                try await Stats.parse(words).run(EntityUseCases(memory), console)
            }
            #expect(error?.kind == .validation, "\(words)")
        }
        #expect(memory.current.queries.isEmpty)
        for words in [["--since", "soon"], ["--until", "soon"], ["--team", "none"], ["--limit", "1"]] {
            #expect(throws: (any Error).self) { try Stats.parse(words) }
        }
    }

    @Test func `only an entity with aggregates has the command`() {
        func names(_ commands: [any ParsableCommand.Type]) -> [String?] {
            commands.map { $0.configuration.commandName }
        }
        #expect(names(Watch.commands).contains("stats") && !names(Scrap.commands).contains("stats"))
        #expect(["browse", "export", "list"].allSatisfy(names(Scrap.commands).contains), "every entity has them")
        let help = Stats.helpMessage(columns: 200)
        #expect(help.contains("per-day: count and sum of hours, visits, by team, is_late, per day of starts_at (UTC)."))
        #expect(help.contains("--since") && help.contains("--at-least") && !help.contains("--sort"))
    }
}
