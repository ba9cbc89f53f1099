import ArgumentParser
import Foundation
import RunbooksDomain
import RunbooksPresentation
import StrataCaching
import StrataDomain
import StrataFeatureTesting
import StrataTerminal
import StrataTesting
import Testing

struct RunbookCommandTests {
    private typealias List = EntityListCommand<RunbookView>
    private typealias Show = EntityShowCommand<RunbookView>
    private typealias Create = EntityAddCommand<RunbookView>
    private typealias Remove = EntityRemoveCommand<RunbookView>

    private let server = FakeRunbooks([.sample()])
    private let clock = ManualWallClock(.noon)
    private let runbooks: Runbooks

    init() { runbooks = Self.runbooks(server, clock) }

    /// Through a cache of their own.
    private static func runbooks(_ server: FakeRunbooks, _ clock: ManualWallClock) -> Runbooks {
        let reader = CachedReader(cache: TwoTierCache(directory: nil, clock: clock), clock: clock)
        return Runbooks(CachedEntityRepository<Runbook>(remote: server, reader: reader, principal: "ada"))
    }

    /// Stores the beginning of the list that a table shows, `seconds` before noon.
    private func keep(_ seconds: Int) async throws {
        clock.advance(by: .seconds(-seconds))
        _ = try await runbooks.list(EntityQuery(limit: 51))
        clock.advance(by: .seconds(seconds))
    }

    private func file(_ text: String) throws -> String {
        let path = NSTemporaryDirectory() + "runbook-\(UUID().uuidString).md"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test func `the list is a table for people`() async throws {
        let (console, output, errors) = Console.inMemory()
        try await List.parse([]).run(runbooks, console)
        #expect(
            output.lines == [
                "ID  TITLE    TAGS      VERSION  UPDATED", "r1  Restart  db night        3  2026-11-21 12:00:00Z",
            ])
        #expect(errors.text.isEmpty)
    }

    @Test func `the list is an array for programs, and stays one when it is stale`() async throws {
        try await keep(180)
        server.change { $0.failure = .unavailable("server not reachable") }
        let (console, output, errors) = Console.inMemory(json: true)
        try await List.parse(["--refresh"]).run(runbooks, console)
        #expect(
            output.text == ##"[{"body":"# Restart\n1. Breathe.\n","id":"r1","tags":["db","night"],"##
                + #""title":"Restart","updated_at":"2026-11-21T12:00:00.000Z","version":3}]"# + "\n")
        #expect(errors.text == "stale, 3 min old: server not reachable\n")
        #expect(server.current.policies.count == 2)
    }

    @Test func `a list from the cache says how old it is`() async throws {
        try await keep(12)
        let (console, _, errors) = Console.inMemory()
        try await List.parse([]).run(runbooks, console)
        #expect(errors.text == "from the cache, 12 s old\n")
        #expect(server.current.policies.count == 1)
    }

    @Test func `an empty list is a note to a person and an empty array to a program`() async throws {
        let runbooks = Self.runbooks(FakeRunbooks([]), clock)
        let (people, text, errors) = Console.inMemory()
        try await List.parse([]).run(runbooks, people)
        #expect(text.text.isEmpty)
        #expect(errors.text.contains("runbooks create"))
        let (programs, document, _) = Console.inMemory(json: true)
        try await List.parse([]).run(runbooks, programs)
        #expect(document.text == "[]\n")
    }

    @Test func `an unreachable server is an error when no list is stored`() async throws {
        server.change { $0.failure = .unavailable("No connection, and nothing is kept.") }
        let (console, output, _) = Console.inMemory()
        await #expect(throws: DomainError.unavailable("No connection, and nothing is kept.")) {
            try await List.parse([]).run(runbooks, console)
        }
        #expect(output.text.isEmpty)
    }

    @Test func `a runbook is shown with all its fields and its text`() async throws {
        let (console, output, _) = Console.inMemory()
        try await Show.parse(["r1"]).run(runbooks, console)
        #expect(
            output.text == """
                id       r1
                title    Restart
                tags     db night
                version  3
                updated  2026-11-21 12:00:00Z

                # Restart
                1. Breathe.

                """)
    }

    @Test func `a runbook is created from a file`() async throws {
        let path = try file("# New\n")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (console, output, _) = Console.inMemory()
        try await Create.parse(["--title", "New", "--file", path, "--tag", "a"]).run(runbooks, console)
        #expect(output.text == "made-1  created, version 1\n")
        let made = try #require(server.current.items.first { $0.id.rawValue == "made-1" })
        #expect(made.title == "New" && made.body == "# New\n" && made.tags == ["a"])
    }

    @Test func `a runbook is created from standard input, and programs get all of it`() async throws {
        let (console, output, _) = Console.inMemory(json: true, input: MemoryInput("body"))
        try await Create.parse(["--title", "New", "--file", "-"]).run(runbooks, console)
        #expect(output.text.contains(#""body":"body","id":"made-1""#))
    }

    @Test func `a file that cannot be read ends with 66, before anything is sent`() async throws {
        let (console, _, _) = Console.inMemory()
        let error = await #expect(throws: CommandFailure.self) {
            try await Create.parse(["--title", "T", "--file", "/no/such"]).run(runbooks, console)
        }
        #expect(error?.status.rawValue == 66)
        #expect(error?.message?.contains("'/no/such'") == true)
        #expect(server.current.items.count == 1)
    }

    @Test func `a file that is not UTF-8 ends with 65`() async throws {
        let input = MemoryInput([Data([0xFF, 0xFE])])
        let (console, _, _) = Console.inMemory(input: input)
        let error = await #expect(throws: DomainError.self) {
            try await Create.parse(["--title", "T", "--file", "-"]).run(runbooks, console)
        }
        #expect(error.map { console.fail($0).rawValue } == 65)
    }

    @Test func `a runbook is removed`() async throws {
        let (console, output, _) = Console.inMemory(json: true)
        try await Remove.parse(["r1"]).run(runbooks, console)
        #expect(output.text == #"{"id":"r1","result":"deleted"}"# + "\n")
        #expect(server.current.items.isEmpty)
    }
}
