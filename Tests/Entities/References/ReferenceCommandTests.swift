import ArgumentParser
import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting
import StrataTerminal
import StrataTesting
import Testing

/// Commands about an entity that refers to another one, by names.
@Suite struct `Commands with names of other entities` {
    private struct Group: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "lockers", subcommands: Locker.commands)
    }

    private static let platform = "01982d3c-0000-7000-8000-00000253dfe1"
    private static let design = "01982d3c-0000-7000-8000-0000025abc00"

    private let teams = MemoryEntityRepository<Team>(
        [
            Stored(id: Team.ID(platform), Team(name: "Platform"), version: 1, updatedAt: .noon),
            Stored(id: Team.ID(design), Team(name: "Design Team"), version: 1, updatedAt: .noon),
            Stored(id: Team.ID("t-1"), Team(name: "Twin"), version: 1, updatedAt: .noon),
            Stored(id: Team.ID("t-2"), Team(name: "Twin"), version: 1, updatedAt: .noon),
        ])
    private let lockers = MemoryEntityRepository<Locker>(
        [
            Stored(id: Locker.ID("l-1"), Locker(label: "one", team: Team.ID(platform)), version: 1, updatedAt: .noon),
            Stored(id: Locker.ID("l-2"), Locker(label: "two", team: nil), version: 1, updatedAt: .noon),
        ])

    private final class Counter: Sendable {
        let count = Mutex(0)
    }

    private func run(_ words: [String], json: Bool = false) async throws -> String {
        let (console, output, _) = Console.inMemory(json: json, width: 200)
        let known = try #require(try Group.parseAsRoot(words) as? any EntityCommand<Locker>)
        let teams = teams
        let tools = EntityUseCases(
            lockers,
            related: { target in
                target == Team.self
                    ? RelatedEntities { () throws(DomainError) in EntityUseCases(teams) } : nil
            })
        try await known.run(tools, console)
        return output.text
    }

    @Test func `a shell completes the ids of the other entity in options`() {
        let script = Group.completionScript(for: .bash)
        for command in ["add", "edit", "list"] { #expect(script.contains("---completion \(command) -- --team ")) }
    }

    @Test(arguments: [
        ("Platform", platform), ("platform", platform), ("Design Team", design), ("253dfe1", platform),
        ("25abc00", design), (platform, platform), ("t-1", "t-1"),
    ])
    func `take an id, its end or a name`(text: String, id: String) async throws {
        _ = try await run(["add", "--label", "new", "--team", text])
        #expect(lockers.current.items.last?.team == Team.ID(id))
        _ = try await run(["edit", "l-2", "--team", text])
        #expect(lockers.current.items.first { $0.id == Locker.ID("l-2") }?.team == Team.ID(id))
    }

    @Test(arguments: [
        ("Platfrom", DomainError.Kind.notFound, "Did you mean 'Platform'?"), ("Nope", .notFound, "'Design Team'"),
        ("Twin", .validation, "several teams: t-"), ("two words", .notFound, "There is no team 'two words'."),
        ("0000025", .notFound, "There is no team '0000025'"),
    ])
    func `refuse what names nothing, or several, with the next step`(
        text: String, kind: DomainError.Kind, part: String
    ) async throws {
        for words in [["add", "--label", "new", "--team", text], ["list", "--team", text]] {
            let error = await #expect(throws: DomainError.self) { try await run(words) }
            #expect(error?.kind == kind && error?.description.contains(part) == true, "\(error as Any)")
        }
        #expect(lockers.current.items.count == 2 && lockers.current.queries.isEmpty)
    }

    @Test func `show names in tables and lines, and ids in JSON`() async throws {
        let list = try await run(["list"])
        #expect(list.contains("Platform") && !list.contains(Self.platform))
        #expect(try await run(["show", "l-1"]).contains("Platform (\(Self.platform))"))
        for words in [["list"], ["show", "l-1"]] {
            let document = try await run(words, json: true)
            #expect(document.contains(Self.platform) && !document.contains("Platform"))
        }
    }

    @Test func `show an id whose name cannot be read`() async throws {
        teams.change { $0.failure = .unavailable("connection refused") }
        #expect(try await run(["list"]).contains(Self.platform))
        // A complete id needs no look-up.
        _ = try await run(["edit", "l-2", "--team", Self.design])
        await #expect(throws: DomainError.unavailable("connection refused")) {
            try await run(["edit", "l-2", "--team", "Platform"])
        }
    }

    @Test(arguments: [3, 40])
    func `ask once for names while the server cannot be reached`(count: Int) async throws {
        teams.change { $0.failure = .unavailable("connection refused") }
        let teams = teams
        let related = RelatedEntities { () throws(DomainError) in EntityUseCases(teams) }
        #expect(await related.names(of: Set((1...count).map { "t-\($0)" })).isEmpty)
        #expect(teams.current.policies.count == 1)
    }

    @Test func `open the other entities once, and say once what is to be said about them`() async throws {
        let (console, _, errors) = Console.inMemory()
        let (teams, opened) = (teams, Counter())
        let related = RelatedEntities { () throws(DomainError) -> EntityUseCases<Team> in
            opened.count.withLock { $0 += 1 }
            console.noteLater("opened")
            return EntityUseCases(teams)
        }
        #expect(await related.names(of: [Self.platform, Self.design, "t-1"]).count == 3)
        #expect(try await related.named("Twin").count == 2)
        let openings = opened.count.withLock { $0 }
        #expect(openings == 1)
        console.noteLater("opened")
        console.printLaterNotes()
        #expect(errors.text.ranges(of: "opened").count == 1)
    }

    private struct Gauge: Entity {
        static let noun = "gauge"
        static let collection = "gauges"
        static let fields: [EntityField<Gauge>] = [.init("level", \.level)]
        var level: Int
    }

    @Test func `ask for no names of entities that have none`() async throws {
        let gauges = MemoryEntityRepository([
            Stored(id: Gauge.ID("g-1"), Gauge(level: 1), version: 1, updatedAt: .noon)
        ])
        let related = RelatedEntities { () throws(DomainError) in EntityUseCases(gauges) }
        #expect(await related.names(of: ["g-1"]).isEmpty)
        #expect(try await related.named("g-1").isEmpty)
        #expect(gauges.current.policies.isEmpty)
        #expect(try await related.entity("g-1").id == "g-1")
    }

    @Test func `filter by a name`() async throws {
        #expect(try await run(["list", "--team", "Platform"]).contains("l-1"))
        #expect(lockers.current.queries.first?.filters == ["team": .string(Self.platform)])
    }

    @Test func `say in their help what is taken`() {
        let help = Group.helpMessage(for: EntityAddCommand<FieldsView<Locker>>.self, columns: 200)
        #expect(help.contains("an id of the teams, its end, or a name"))
    }

    @Test func `take complete ids where the other entities cannot be read`() async throws {
        let tools = EntityUseCases(lockers)
        #expect(try await tools.resolved(["team": .string("t-9")]) == ["team": .string("t-9")])
        await #expect(throws: DomainError.self) { try await tools.resolved(["team": .string("two words")]) }
    }

    @Test func `many names are read with one list`() async throws {
        teams.change { state in
            state.items = (1...9).map {
                Stored(id: Team.ID("t-\($0)"), Team(name: "Team \($0)"), version: 1, updatedAt: .noon)
            }
        }
        let teams = teams
        let related = RelatedEntities { () throws(DomainError) in EntityUseCases(teams) }
        let names = await related.names(of: Set((1...8).map { "t-\($0)" } + ["gone"]))
        #expect(names == Dictionary(uniqueKeysWithValues: (1...8).map { ("t-\($0)", "Team \($0)") }))
        #expect(teams.current.queries.count == 1)
    }
}
