import ArgumentParser
import FoundationEssentials
import IncidentsDomain
import IncidentsPresentation
import StrataDomain
import StrataTerminal
import Testing

@Suite struct `Commands about incidents` {
    private struct Root: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [IncidentsGroup.self])
    }

    private let repository = FakeIncidentRepository(.example("s-1"))
    private var incidents: Incidents { Incidents(repository) }

    private static let sample = [
        "--title", "Alpha",
        "--alias", "Alpha",
        "--details", "Seen at dawn.",
        "--note", "Seen at dawn.",
        "--severity", "low",
        "--phase", "opened",
        "--started-at", "2026-01-02T03:04:05.006Z",
        "--ended-at", "2026-01-02T03:04:05.006Z",
        "--count", "8",
        "--size", "5",
        "--load", "2.5",
        "--ratio", "2.5",
        "--is-public", "true",
        "--done", "true",
        "--device", "11111111-1111-4111-8111-111111111111",
        "--peer", "11111111-1111-4111-8111-111111111111",
        "--page", "https://example.org/one?a=1",
        "--link", "https://example.org/one?a=1",
        "--owner", "u-1",
        "--runbook", "u-1",
        "--slug", "Alphaxxx",
        "--token", "Seen at dawn.",
    ]
    private static let other = [
        "--title", "Beta",
        "--alias", "Beta",
        "--details", "Seen at dusk.",
        "--note", "Seen at dusk.",
        "--severity", "high",
        "--phase", "inReview",
        "--started-at", "2026-02-03T04:05:06.007Z",
        "--ended-at", "2026-02-03T04:05:06.007Z",
        "--count", "9",
        "--size", "4",
        "--load", "3.75",
        "--ratio", "3.75",
        "--is-public", "false",
        "--done", "false",
        "--device", "22222222-2222-4222-8222-222222222222",
        "--peer", "22222222-2222-4222-8222-222222222222",
        "--page", "https://example.org/two",
        "--link", "https://example.org/two",
        "--owner", "u-2",
        "--runbook", "u-2",
        "--slug", "Betaxxxx",
        "--token", "Seen at dusk.",
    ]

    /// Runs a command as the program does, and prints into memory.
    private func run(_ words: [String], json: Bool = false) async throws -> (output: String, errors: String) {
        let (console, output, errors) = Console.inMemory(json: json, width: 200)
        let command = try Root.parseAsRoot(["incidents"] + words)
        let known = try #require(command as? any IncidentsCommand)
        try await known.run(incidents, console)
        return (output.text, errors.text)
    }

    /// With which status the program ends.
    private func status(_ words: [String]) async -> Int32 {
        do {
            _ = try await run(words)
            return 0
        } catch let error as DomainError {
            return Console.inMemory().console.fail(error).rawValue
        } catch {
            return Root.exitCode(for: error).rawValue
        }
    }

    @Test func `what is added has every field as it was given`() async throws {
        let printed = try await run(["add"] + Self.sample, json: true)
        let added = try #require(repository.current.items.last)
        #expect(added.content == .sample)
        #expect(try WireJSON.decode(Stored<Incident>.self, from: Data(printed.output.utf8)) == added)
        #expect(try await run(["add"] + Self.sample).output == "s-3  added, version 1\n")
    }

    @Test func `an edit changes every field that is given`() async throws {
        _ = try await run(["edit", "s-1"] + Self.other)
        #expect(repository.current.items.map(\.content) == [.other])
    }

    @Test(arguments: Incident.fields.filter(\.isOptional).map(\.name))
    func `an edit can take a value away`(field: String) async throws {
        _ = try await run(["edit", "s-1", "--clear", field])
        #expect(try repository.current.items.map(\.content) == [Incident.sample.clearing([field])])
    }

    @Test func `the list has a row for each, and says when it is empty`() async throws {
        let list = try await run(["list"])
        #expect(list.output.split(separator: "\n").count == 2 && list.output.contains("s-1"))
        let document = try await run(["list"], json: true).output
        #expect(try WireJSON.decode([Stored<Incident>].self, from: Data(document.utf8)) == [.example("s-1")])
        _ = try await run(["rm", "s-1"])
        #expect(try await run(["list"]).errors.contains("incidents add"))
    }

    @Test func `what is shown has a line for each field`() async throws {
        let shown = try await run(["show", "s-1"]).output
        for field in Incident.fields {
            #expect(shown.contains(field.name.split(separator: "_").joined(separator: " ")), "\(field.name)")
        }
        let document = try await run(["show", "s-1"], json: true).output
        #expect(try WireJSON.decode(Stored<Incident>.self, from: Data(document.utf8)) == .example("s-1"))
    }

    @Test func `a read uses what is kept unless it is told otherwise`() async throws {
        for words in [["list"], ["list", "--refresh"], ["list", "--offline"], ["show", "s-1", "--refresh"]] {
            _ = try await run(words)
        }
        #expect(repository.current.policies == [.cacheFirst, .refresh, .cacheOnly, .refresh])
    }

    @Test func `each kind of failure has its exit status`() async {
        #expect(await status(["show", "nowhere"]) == 66)
        #expect(await status(["edit", "s-1"]) == 65)
        #expect(await status(["edit", "s-1", "--clear", "nothing"]) == 65)
        #expect(await status(["list", "--refresh", "--offline"]) == 64)
        #expect(await status(["list", "--unknown"]) == 64)
        repository.change { $0.failure = .unavailable("connection refused") }
        #expect(await status(["list"]) == 69)
        repository.change { $0.failure = .conflict("changed") }
        #expect(await status(["rm", "s-1"]) == 65)
    }
}
