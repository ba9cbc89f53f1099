import ArgumentParser
import AttachmentsPresentation
import Testing

struct AttachmentGrammarTests {
    private struct Root: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [AttachmentsGroup.self])
    }

    @Test(arguments: [
        ["add"], ["add", "e1"], ["add", "e 1", "f"], ["add", "", "f"], ["add", "e1", "f", "g"], ["list"], ["list", ""],
        ["list", "e1", "e2"], ["get"], ["get", "a 1"], ["get", "a1", "-o"], ["get", "a1", "-o", ""],
        ["get", "a1", "-o", "-"], ["get", "a1", "x"], ["rm", "a1"],
    ])
    func `an invalid command line of attachments is a usage error`(words: [String]) {
        let error = #expect(throws: (any Error).self) { _ = try Root.parseAsRoot(["attachments"] + words) }
        #expect(error.map { Root.exitCode(for: $0).rawValue } == 64)
    }
}
