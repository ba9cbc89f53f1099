import ArgumentParser
import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTerminal

private struct Badge: ManagedResource {
    static let noun = "badge"
    static let path = "badges"
    typealias Tools = Badges
    static let listing = "List the badges of this door."
    static let removal = (name: "revoke", abstract: "Revoke a badge.", result: "revoked")
    static let columns: [ListColumn<Badge>] = [
        .init(.init("HOLDER")) { .init($0.holder) }, .init(.time("SINCE"), isDetail: true) { _ in .init(.noon) },
    ]
    static func repository(_ badges: Badges) -> any ResourceRepository<Badge> { badges }

    var id: Identifier<Badge>
    var holder: String
}

private final class Badges: ResourceRepository {
    private let content = Mutex([
        Badge(id: Badge.ID("x1"), holder: "ada\u{1B}[2J"),
        Badge(id: Badge.ID("019a9a3e-1f00-7000-8000-00000c77e01e"), holder: "bob"),
    ])
    private let limits = Mutex<[Int]>([])

    /// The limit of each list.
    var asked: [Int] { limits.withLock { $0 } }

    func list(upTo limit: Int) async throws(DomainError) -> (items: [Badge], total: Int?) {
        limits.withLock { $0.append(limit) }
        return content.withLock { ($0, $0.count) }
    }

    func delete(_ id: Badge.ID) async throws(DomainError) { content.withLock { $0.removeAll { $0.id == id } } }
}

/// A resource that is named by what it belongs to and a word.
private struct Visit: RemovableResource {
    struct RemovalArguments: ParsableArguments, Sendable {
        @Argument var door: String
        @Argument var guest: String
    }

    static let noun = "visit"
    static let path = "visits"
    typealias Tools = Badges
    static let listing = "List the visits."
    static let removal = (name: "end", abstract: "End a visit.", result: "ended")
    static let exampleRemoval = "north ada"
    static let columns: [ListColumn<Visit>] = []
    static func list(
        _ badges: Badges, in scope: NoScope, _ options: GlobalOptions, upTo limit: Int
    ) async throws -> (items: [Visit], total: Int?) { ([], 0) }
    static func remove(_ visit: RemovalArguments, _ badges: Badges) async throws -> ID {
        ID("\(visit.door)-\(visit.guest)")
    }

    var id: Identifier<Visit>
}

struct ResourceCommandTests {
    private let badges = Badges()

    @Test func `a list is a table for people and an array for programs, up to its limit`() async throws {
        let (people, table, _) = Console.inMemory()
        try await ResourceListCommand<Badge>.parse([]).run(badges, people)
        #expect(
            table.lines == [
                "ID                                    HOLDER", #"x1                                    ada\x1B[2J"#,
                "019a9a3e-1f00-7000-8000-00000c77e01e  bob",
            ])
        let (programs, document, notes) = Console.inMemory(json: true)
        try await ResourceListCommand<Badge>.parse(["--limit", "1"]).run(badges, programs)
        #expect(document.text == #"[{"holder":"ada\u001b[2J","id":"x1"}]"# + "\n")
        #expect(notes.text == "1 of 2; --limit N shows more.\n")
        #expect(badges.asked == [50, 1])
    }

    @Test func `an export has all rows, as the list has them or as they are`() async throws {
        let (console, output, notes) = Console.inMemory()
        func run(_ arguments: String...) async throws {
            try await ResourceExportCommand<Badge>.parse(arguments).run(badges, console)
        }
        try await run()
        try await run("--format", "markdown")
        try await run("--format", "ndjson")
        let id = "019a9a3e-1f00-7000-8000-00000c77e01e"
        #expect(
            output.text == "id,holder,since\r\nx1,ada\u{1B}[2J,2026-11-21T12:00:00.000Z\r\n"
                + "\(id),bob,2026-11-21T12:00:00.000Z\r\n" + "| id | holder | since |\n| --- | --- | --- |\n"
                + "| x1 | ada\u{1B}[2J | 2026-11-21T12:00:00.000Z |\n| \(id) | bob | 2026-11-21T12:00:00.000Z |\n"
                + #"{"holder":"ada\u001b[2J","id":"x1"}"# + "\n" + #"{"holder":"bob","id":"\#(id)"}"# + "\n")
        #expect(notes.text.isEmpty && badges.asked == [.max, .max, .max])
        let folder = try TemporaryDirectory()
        try await run("-o", folder.file("badges.json"))
        let (programs, list, _) = Console.inMemory(json: true)
        try await ResourceListCommand<Badge>.parse([]).run(badges, programs)
        #expect(folder.content("badges.json").map { String(decoding: $0, as: UTF8.self) } == list.text)
        #expect(notes.text == "2 badges are in '\(folder.file("badges.json"))'.\n")
        #expect(throws: (any Error).self) {
            try ResourceExportCommand<Badge>.parse(["--json", "--format", "csv"])
        }
    }

    @Test func `a resource is removed by arguments of its own`() async throws {
        let (console, output, _) = Console.inMemory()
        try await ResourceRemoveCommand<Visit>.parse(["south", "bob"]).run(badges, console)
        #expect(output.lines == ["south-bob  ended"])
        #expect(ResourceRemoveCommand<Visit>.configuration.discussion.hasSuffix(" visits end north ada"))
        #expect(throws: (any Error).self) { try ResourceRemoveCommand<Visit>.parse(["south"]) }
    }

    @Test func `the help of a list and its export has an example`() {
        #expect(ResourceListCommand<Badge>.configuration.discussion.hasSuffix(" badges list --limit 200"))
        #expect(ResourceExportCommand<Badge>.configuration.discussion.hasSuffix(" badges export -o badges.csv"))
    }

    @Test func `one row is shown with its details, an unknown one is not found`() async throws {
        let (people, lines, _) = Console.inMemory()
        try await ResourceShowCommand<Badge>.parse(["c77e01e"]).run(badges, people)
        #expect(
            lines.lines == [
                "id      019a9a3e-1f00-7000-8000-00000c77e01e", "holder  bob", "since   2026-11-21 12:00:00Z",
            ])
        await #expect(throws: DomainError.notFound("There is no badge 'x9'.")) {
            try await ResourceShowCommand<Badge>.parse(["x9"]).run(badges, people)
        }
    }

    @Test func `a row is removed by a part of its id, and the list is read for a part only`() async throws {
        let (console, output, _) = Console.inMemory()
        try await ResourceRemoveCommand<Badge>.parse(["x1"]).run(badges, console)
        #expect(badges.asked.isEmpty)
        try await ResourceRemoveCommand<Badge>.parse(["c77e01e"]).run(badges, console)
        #expect(output.lines == ["x1  revoked", "019a9a3e-1f00-7000-8000-00000c77e01e  revoked"])
        #expect(try await badges.list(upTo: 9).total == 0)
    }
}
