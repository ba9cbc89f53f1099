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

    @Test func `the help of a list names its order, its filter and its orders`() {
        #expect(EntityListCommand<Runbook>.configuration.abstract == "List runbooks, by title.")
        let help = Root.helpMessage(for: RunbookListCommand.self, columns: 200)
        for words in [
            "by title", "--tag", "Only those with this one of their tags.", "in title, body.", "FIELD is title.",
        ] {
            #expect(help.contains(words), "\(words)")
        }
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
