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

    private static func values(host: String, _ severity: Severity, runbook: String) -> [String: JSONValue] {
        [
            "host": .string(host), "severity": severity.fieldValue, "runbook_id": .string(runbook),
            "occurred_at": Date.noon.fieldValue,
        ]
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
            long
                == Self.values(host: "web1", .critical, runbook: "r1").merging(["text": .string("from the input")]) {
                    $1
                })
    }

    @Test(arguments: ["--json", "-v", "--", "-x", "- -", ""])
    func `any text can be added behind a terminator`(text: String) async throws {
        #expect(try await given(["--", text]) == ["text": .string(text)])
    }

    @Test func `an empty text is parsed, to be refused as input`() async throws {
        #expect(try await given([""]) == ["text": .string("")])
    }

    @Test func `a list takes filters`() throws {
        _ = try parse(["journal", "list"], as: EntityListCommand<JournalView>.self)
        let command = try parse(
            [
                "--json", "journal", "list", "--since", "12h", "--host", "web1", "--severity", "warning", "--limit",
                "5",
                "--search", "disk",
            ],
            as: EntityListCommand<JournalView>.self)
        #expect(command.list.selection.filters.values == ["host": .string("web1"), "severity": .string("warning")])
        #expect(command.list.common.limit == 5 && command.list.selection.search == "disk" && command.options.json)
    }

    @Test func `an entry is shown, edited and removed by id`() throws {
        #expect(
            try parse(["journal", "show", "e1"], as: EntityShowCommand<JournalView>.self).id == JournalEntry.ID("e1"))
        #expect(
            try parse(["journal", "rm", "e1"], as: EntityRemoveCommand<JournalView>.self).id == JournalEntry.ID("e1"))
        let edit = try parse(
            [
                "journal", "edit", "e1", "--text", "t", "--severity", "info", "--host", "h", "--at",
                "2026-11-21T12:00:00Z", "--runbook", "r",
            ], as: EntityEditCommand<JournalView>.self)
        #expect(
            edit.fields.values == Self.values(host: "h", .info, runbook: "r").merging(["text": .string("t")]) { $1 })
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
    func `an invalid command line is a usage error`(words: [String]) {
        let error = #expect(throws: (any Error).self) { _ = try Root.parseAsRoot(words) }
        #expect(error.map { Root.exitCode(for: $0).rawValue } == 64)
    }
}
