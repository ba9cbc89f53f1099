import ArgumentParser
import FoundationEssentials
import JournalDomain
import JournalPresentation
import StrataDomain
import StrataFeatureTesting
import StrataTerminal
import StrataTesting
import Testing

struct JournalGrammarTests {
    private struct Root: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [JournalGroup.self, ReportCommand.self])
    }

    private func parse<Command: ParsableCommand>(_ words: [String], as type: Command.Type) throws -> Command {
        try #require(try Root.parseAsRoot(GlobalOptions.movedToTheEnd(words)) as? Command)
    }

    private func given(_ words: [String]) async throws -> [String: JSONValue] {
        let command = try parse(["journal", "add"] + words, as: EntityAddCommand<JournalView>.self)
        return try await command.fields.values(Console.inMemory(input: MemoryInput("from the input\n")).console)
    }

    @Test func `an entry is added with all that can be said of it`() async throws {
        #expect(try await given(["Disk full"]) == ["text": .string("Disk full")])
        let long = try await given(
            [
                "-", "--host", "web1", "--severity", "critical", "--at", "2026-11-21T13:00:00+01:00", "--runbook", "r1",
            ])
        #expect(
            long == [
                "text": .string("from the input"), "host": .string("web1"), "severity": Severity.critical.fieldValue,
                "runbook_id": .string("r1"), "occurred_at": Date.noon.fieldValue,
            ])
    }

    @Test(arguments: ["--json", "-v", "--", "-x", "- -", ""])
    func `any text can be added behind a terminator`(text: String) async throws {
        #expect(try await given(["--", text]) == ["text": .string(text)])
    }

    @Test func `an empty text is parsed, to be refused as input`() async throws {
        #expect(try await given([""]) == ["text": .string("")])
    }

    @Test(arguments: LogFormat.allCases) func `a log of every format is imported`(format: LogFormat) throws {
        let command = try parse(
            ["journal", "import", "a.log", "--format", format.rawValue, "--host", "h"], as: JournalImportCommand.self)
        #expect(command.path == "a.log" && command.format == .log(format) && command.host == "h")
        #expect(try parse(["journal", "import", "-"], as: JournalImportCommand.self).format == .log(.lines))
    }

    @Test(arguments: RecordFormat.allCases) func `rows of every format are imported`(format: RecordFormat) throws {
        let command = try parse(
            ["journal", "import", "a", "--format", format.rawValue, "--dry-run"], as: JournalImportCommand.self)
        #expect(command.format == .rows(format) && command.rows.dryRun)
    }

    @Test(arguments: ReportCommand.Format.allCases)
    func `a report is written in every format`(format: ReportCommand.Format) throws {
        let command = try parse(["report", "--since", "12h", "--format", format.rawValue], as: ReportCommand.self)
        #expect(command.format == format)
        #expect(try parse(["report"], as: ReportCommand.self).format == nil)
        _ = try parse(["report", "--json", "--format", "json"], as: ReportCommand.self)
    }

    @Test(arguments: [
        ["journal", "add"], ["journal", "add", "disk", "full"], ["journal", "add", "x", "--severity", "bad"],
        ["journal", "add", "x", "--at", "noon"], ["journal", "add", "--unknown"], ["journal", "list", "--limit", "0"],
        ["journal", "list", "--limit", "-1"], ["journal", "list", "--limit", "99999999999999999999"],
        ["journal", "list", "--since", "tomorrow"], ["journal", "list", "--since", "99999999999999999999h"],
        ["journal", "list", "--since", ""], ["journal", "edit", "e1"], ["journal", "edit", "--text", "x"],
        ["journal", "show"], ["journal", "show", "\u{1B}[2J"], ["journal", "import"],
        ["journal", "import", "a", "--format", "xml"],
        ["journal", "import", "a", "--dry-run"], ["journal", "import", "a", "--format", "csv", "--host", "h"],
        ["journal", "rm"], ["report", "--format", "pdf"],
        ["report", "--json", "--format", "html"], ["report", "--since", "-5h"],
    ])
    func `an invalid command line of the journal or the report is a usage error`(words: [String]) {
        let error = #expect(throws: (any Error).self) { _ = try Root.parseAsRoot(words) }
        #expect(error.map { Root.exitCode(for: $0).rawValue } == 64)
    }
}
