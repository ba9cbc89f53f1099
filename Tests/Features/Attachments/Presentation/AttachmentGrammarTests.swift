import ArgumentParser
import AttachmentsDomain
import AttachmentsPresentation
import JournalDomain
import StrataDomain
import StrataTerminal
import Testing

struct AttachmentGrammarTests {
    private struct Root: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [AttachmentsGroup.self])
    }

    private func parse<Command: ParsableCommand>(_ words: [String], as type: Command.Type) throws -> Command {
        try #require(try Root.parseAsRoot(GlobalOptions.movedToTheEnd(["attachments"] + words)) as? Command)
    }

    @Test func `a file is attached to an entry`() throws {
        let command = try parse(["--json", "add", "e1", "a b.log"], as: AttachmentAddCommand.self)
        #expect(command.scope.entry == JournalEntry.ID("e1") && command.file == "a b.log" && command.options.json)
        #expect(try parse(["add", "e1", "--", "-x"], as: AttachmentAddCommand.self).file == "-x")
    }

    @Test func `the files of an entry are listed`() throws {
        #expect(
            try parse(["list", "e1"], as: ResourceListCommand<Attachment>.self).scope.entry == JournalEntry.ID("e1"))
    }

    @Test func `a file is brought here, or where -o says`() throws {
        let plain = try parse(["get", "a1"], as: AttachmentGetCommand.self)
        #expect(plain.id == Attachment.ID("a1") && plain.output == nil)
        #expect(try parse(["get", "a1", "-o", "x"], as: AttachmentGetCommand.self).output == "x")
        #expect(try parse(["get", "--output", "x", "a1"], as: AttachmentGetCommand.self).output == "x")
    }

    @Test(arguments: [
        ["add"], ["add", "e1"], ["add", "e 1", "f"], ["add", "", "f"], ["add", "e1", "f", "g"], ["list"], ["list", ""],
        ["list", "e1", "e2"], ["get"], ["get", "a 1"], ["get", "a1", "-o"], ["get", "a1", "-o", ""],
        ["get", "a1", "-o", "-"], ["get", "a1", "x"], ["rm", "a1"],
    ])
    func `anything else is a usage error`(words: [String]) {
        let error = #expect(throws: (any Error).self) { _ = try Root.parseAsRoot(["attachments"] + words) }
        #expect(error.map { Root.exitCode(for: $0).rawValue } == 64)
    }
}
