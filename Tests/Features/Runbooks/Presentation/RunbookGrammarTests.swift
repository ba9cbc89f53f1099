import ArgumentParser
import RunbooksDomain
import RunbooksPresentation
import StrataDomain
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
        _ = try parse(["list"], as: RunbookListCommand.self)
        #expect(try parse(["--json", "list", "--refresh"], as: RunbookListCommand.self).options.json)
        #expect(try parse(["show", "r1"], as: RunbookShowCommand.self).id == Runbook.ID("r1"))
        #expect(try parse(["show", "r1", "--refresh", "--json"], as: RunbookShowCommand.self).options.json)
    }

    @Test func `the help of a list names its order, its filter and its orders`() {
        #expect(EntityListCommand<Runbook>.configuration.abstract == "List runbooks, by title.")
        let help = Root.helpMessage(for: RunbookListCommand.self, columns: 200)
        for words in [
            "by title", "--tag", "Only those with this one of their tags.", "in title, body.", "FIELD is title.",
        ] {
            #expect(help.contains(words), "\(words)")
        }
    }

    @Test func `a runbook is created from a file`() throws {
        let command = try parse(
            ["create", "--title", "My title", "--file", "a.md", "--tag", "x", "--tag", "y"],
            as: RunbookCreateCommand.self)
        #expect(command.title == "My title")
        #expect(command.file == "a.md")
        #expect(command.tag == ["x", "y"])
        #expect(try parse(["create", "--title", "t", "--file", "-"], as: RunbookCreateCommand.self).file == "-")
    }

    @Test func `an edit takes the given fields only`() throws {
        let file = try parse(["edit", "r1", "--file", "a.md"], as: RunbookEditCommand.self)
        #expect(file.id == Runbook.ID("r1") && file.file == "a.md" && file.title == nil && file.tag.isEmpty)
        let title = try parse(["edit", "r1", "--title", "T", "--tag", "x"], as: RunbookEditCommand.self)
        #expect(title.file == nil && title.title == "T" && title.tag == ["x"])
    }

    @Test func `a runbook is removed`() throws {
        #expect(try parse(["rm", "r1"], as: RunbookRemoveCommand.self).id == Runbook.ID("r1"))
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
