import ArgumentParser
import RunbooksDomain
import RunbooksPresentation
import StrataDomain
import StrataFeatureTesting
import StrataTerminal
import Testing

struct RunbookGrammarTests {
    private struct Root: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [RunbooksGroup.self])
    }

    private func parse<Command: ParsableCommand>(_ words: [String], as type: Command.Type) throws -> Command {
        try #require(try Root.parseAsRoot(GlobalOptions.movedToTheEnd(["runbooks"] + words)) as? Command)
    }

    @Test func `runbooks are listed and shown`() throws {
        _ = try parse(["list"], as: EntityListCommand<RunbookView>.self)
        #expect(try parse(["--json", "list", "--refresh"], as: EntityListCommand<RunbookView>.self).options.json)
        #expect(try parse(["show", "r1"], as: EntityShowCommand<RunbookView>.self).id == Runbook.ID("r1"))
        #expect(try parse(["show", "r1", "--refresh", "--json"], as: EntityShowCommand<RunbookView>.self).options.json)
    }

    @Test func `the help of a list names its order, its filter and its orders`() {
        #expect(EntityListCommand<RunbookView>.configuration.abstract == "List runbooks, by title.")
        let help = Root.helpMessage(for: EntityListCommand<RunbookView>.self, columns: 200)
        for words in [
            "by title", "--tag", "Only those with this one of their tags.", "in title, body.", "FIELD is title.",
        ] {
            #expect(help.contains(words), "\(words)")
        }
    }

    @Test func `an edit takes the given fields only`() async throws {
        let (console, _, _) = Console.inMemory(input: MemoryInput("text"))
        let file = try parse(["edit", "r1", "--file", "-"], as: EntityEditCommand<RunbookView>.self)
        #expect(try await file.fields.values(console) == ["body": .string("text")])
        let title = try parse(
            ["edit", "r1", "--title", "T", "--tag", "x", "--tag", "y"], as: EntityEditCommand<RunbookView>.self)
        #expect(
            try await title.fields.values(console) == [
                "title": .string("T"), "tags": .array([.string("x"), .string("y")]),
            ])
    }

    @Test(arguments: [
        ["list", "extra"], ["list", "--refresh", "--offline"], ["show"], ["show", "two words"], ["show", ""],
        ["create", "--title", "t"], ["create", "--file", "f"], ["edit", "r1"], ["edit", "--title", "t"], ["rm"],
        ["delete", "r1"], ["show", "r1", "--refresh", "--offline"],
    ])
    func `an invalid command line is a usage error`(words: [String]) {
        let error = #expect(throws: (any Error).self) { _ = try Root.parseAsRoot(["runbooks"] + words) }
        #expect(error.map { Root.exitCode(for: $0).rawValue } == 64)
    }
}
