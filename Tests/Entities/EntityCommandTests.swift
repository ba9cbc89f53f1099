import ArgumentParser
import FoundationEssentials
import SpecimensPresentation
import StrataDomain
import StrataFeatureTesting
import StrataTerminal
import StrataTesting
import Testing

@testable import SpecimensDomain

@Suite struct `Commands about specimens` {
    private struct Root: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [SpecimensGroup.self])
    }

    private let repository = FakeEntityRepository(.example("s-1"))
    private var specimens: Specimens { Specimens(repository) }

    private static let sample = [
        "--pet-name", "1 pet name",
        "--folk-name", "1 folk name",
        "--field-notes", "1 field notes",
        "--lab-notes", "1 lab notes",
        "--leg-count", "8",
        "--spot-count", "8",
        "--weight-grams", "2.5",
        "--length-meters", "2.5",
        "--is-venomous", "true",
        "--is-nocturnal", "true",
        "--found-at", "2026-01-02T03:04:05.006Z",
        "--examined-at", "2026-01-02T03:04:05.006Z",
        "--batch-uuid", "11111111-1111-4111-8111-111111111111",
        "--twin-uuid", "11111111-1111-4111-8111-111111111111",
        "--web-page", "https://example.org/one?a=1",
        "--photo-link", "https://example.org/one?a=1",
        "--home-terrain", "forest",
        "--main-diet", "plants",
        "--kept-by", "u-1",
        "--found-by", "u-1",
        "--catalog-code", "1 catalog co",
        "--finder-name", "1 finder name",
    ]
    private static let other = [
        "--pet-name", "2 pet name",
        "--folk-name", "2 folk name",
        "--field-notes", "2 field notes",
        "--lab-notes", "2 lab notes",
        "--leg-count", "9",
        "--spot-count", "9",
        "--weight-grams", "3.75",
        "--length-meters", "3.75",
        "--is-venomous", "false",
        "--is-nocturnal", "false",
        "--found-at", "2026-02-03T04:05:06.007Z",
        "--examined-at", "2026-02-03T04:05:06.007Z",
        "--batch-uuid", "22222222-2222-4222-8222-222222222222",
        "--twin-uuid", "22222222-2222-4222-8222-222222222222",
        "--web-page", "https://example.org/two",
        "--photo-link", "https://example.org/two",
        "--home-terrain", "meadow",
        "--main-diet", "insects",
        "--kept-by", "u-2",
        "--found-by", "u-2",
        "--catalog-code", "2 catalog co",
        "--finder-name", "2 finder name",
    ]

    /// Runs a command as the program does, and prints into memory.
    private func run(_ words: [String], json: Bool = false) async throws -> (output: String, errors: String) {
        let (console, output, errors) = Console.inMemory(json: json, width: 200)
        let command = try Root.parseAsRoot(["specimens"] + words)
        let known = try #require(command as? any EntityCommand<Specimen>)
        try await known.run(specimens, console)
        return (output.text, errors.text)
    }

    /// With which status the program ends.
    private func status(_ words: [String]) async -> Int32 {
        do {
            _ = try await run(words)
            return 0
        } catch let error where error is DomainError || error is CommandFailure {
            return Console.inMemory().console.fail(error).rawValue
        } catch {
            return Root.exitCode(for: error).rawValue
        }
    }

    @Test func `what is added has every field as it was given`() async throws {
        let printed = try await run(["add"] + Self.sample, json: true)
        let added = try #require(repository.current.items.last)
        #expect(added.content == .sample)
        #expect(try WireJSON.decode(Stored<Specimen>.self, from: Data(printed.output.utf8)) == added)
        #expect(try await run(["add"] + Self.sample).output == "s-3  created, version 1\n")
    }

    @Test func `an edit changes every field that is given`() async throws {
        _ = try await run(["edit", "s-1"] + Self.other)
        #expect(repository.current.items.map(\.content) == [.other])
    }

    @Test(arguments: Specimen.fields.filter(\.isOptional).map(\.name))
    func `an edit can take a value away`(field: String) async throws {
        _ = try await run(["edit", "s-1", "--clear", field])
        #expect(try repository.current.items.map(\.content) == [Specimen.sample.changing([field: .null])])
    }

    @Test func `the list has a row for each, and says when it is empty`() async throws {
        let list = try await run(["list"])
        #expect(list.output.split(separator: "\n").count == 2 && list.output.contains("s-1"))
        let document = try await run(["list"], json: true).output
        #expect(try WireJSON.decode([Stored<Specimen>].self, from: Data(document.utf8)) == [.example("s-1")])
        _ = try await run(["rm", "s-1"])
        #expect(try await run(["list"]).errors.contains("specimens add"))
    }

    @Test func `what the server does not have yet is marked`() async throws {
        repository.change { $0.syncState = .queued }
        #expect(try await run(["add"] + Self.other).output == "s-2  queued\n")
        #expect(try await run(["list"]).output.contains("queued"))
        repository.change { $0.syncState = .rejected }
        #expect(await status(["add"] + Self.other) == 65)
    }

    @Test func `what is shown has a line for each field`() async throws {
        let shown = try await run(["show", "s-1"]).output
        for field in Specimen.fields {
            #expect(shown.contains(field.name.split(separator: "_").joined(separator: " ")), "\(field.name)")
        }
        let document = try await run(["show", "s-1"], json: true).output
        #expect(try WireJSON.decode(Stored<Specimen>.self, from: Data(document.utf8)) == .example("s-1"))
    }

    @Test func `a read uses what is kept unless it is told otherwise`() async throws {
        for words in [["list"], ["list", "--refresh"], ["list", "--offline"], ["show", "s-1", "--refresh"]] {
            _ = try await run(words)
        }
        #expect(repository.current.policies == [.cacheFirst, .refresh, .cacheOnly, .refresh])
    }

    @Test func `each kind of failure has its exit status`() async {
        #expect(await status(["show", "nowhere"]) == 66)
        #expect(await status(["edit", "s-1"]) == 64)
        #expect(await status(["edit", "s-1", "--clear", "nothing"]) == 65)
        #expect(await status(["list", "--refresh", "--offline"]) == 64)
        #expect(await status(["list", "--unknown"]) == 64)
        repository.change { $0.failure = .unavailable("connection refused") }
        #expect(await status(["list"]) == 69)
        repository.change { $0.failure = .conflict("changed") }
        #expect(await status(["rm", "s-1"]) == 65)
    }

    @Test(arguments: [
        ["add", "--pet-name", "x"], ["list", "extra"], ["show"], ["show", ""], ["show", "two words"],
        ["show", "s-1", "--refresh", "--offline"], ["edit", "--pet-name", "x"], ["rm"], ["delete", "s-1"],
    ])
    func `a command line without what it needs, or with more, is a usage error`(words: [String]) async {
        #expect(await status(words) == 64)
    }

    @Test func `an edit of nothing names the options that change something, and --clear where a field is optional`() {
        func refusal<Content: Entity>(_ entity: Content.Type) -> String {
            typealias Edit = EntityEditCommand<FieldsView<Content>>
            do {
                _ = try Edit.parse(["x-1"])
                return "accepted"
            } catch { return Edit.message(for: error) }
        }
        let specimen = refusal(Specimen.self)
        for field in Specimen.fields { #expect(specimen.contains(" --\(field.option),"), "\(specimen)") }
        #expect(specimen.hasSuffix(", --clear."), "\(specimen)")
        #expect(
            refusal(EntitySeamTests.Shift.self) == "Nothing to change: give one of --starts-at, --ends-at, --person.")
    }

    @Test func `a list has filters, a search, an order and a limit`() async throws {
        repository.change { $0.items = (1...4).map { .example("s-\($0)", $0 == 2 ? .other : .sample) } }
        let words = [
            "--leg-count", "8", "--is-venomous", "true", "--search", "PET", "--sort", "-leg-count", "--limit", "2",
        ]
        let list = try await run(["list"] + words)
        #expect(
            repository.current.queries == [
                EntityQuery(
                    filters: ["leg_count": .integer(8), "is_venomous": .bool(true)], search: "PET",
                    sort: .init("-leg_count"), limit: 3)
            ])
        #expect(list.output.split(separator: "\n").map { $0.prefix(3) } == ["ID ", "s-4", "s-3"])
        #expect(list.errors.contains("2 shown, and there are more"))
        #expect(try await run(["list", "--leg-count", "3"]).errors.contains("specimens list' shows all"))
    }

    @Test func `a list refuses what it cannot use`() async {
        #expect(await status(["list", "--leg-count", "many"]) == 64)
        #expect(await status(["list", "--web-page", "https://example.org"]) == 64)
        #expect(await status(["list", "--sort", "web-page"]) == 65)
        #expect(await status(["list", "--search", ""]) == 65)
        #expect(await status(["list", "--limit", "0"]) == 64)
    }

    @Test func `the help of a list names its filters and its orders`() {
        let help = Root.helpMessage(for: EntityListCommand<FieldsView<Specimen>>.self, columns: 200)
        for words in [
            "--leg-count", "--home-terrain", "--search", "pet-name, folk-name", "--sort", "found-at", "--limit",
        ] {
            #expect(help.contains(words), "\(words)")
        }
        #expect(!help.contains("--web-page") && help.contains("newest first"))
    }

    @Test func `the author is shown`() async throws {
        repository.change { $0.items[0].author = "grace" }
        #expect(try await run(["list"]).output.contains("grace"))
        #expect(try await run(["show", "s-1"]).output.contains("grace"))
    }
}
