import ArgumentParser
import FoundationEssentials
import JournalDomain
import JournalPresentation
import StrataDomain
import StrataFeatureTesting
import StrataTerminal
import StrataTesting
import Testing

struct JournalCommandTests {
    private typealias Add = EntityAddCommand<JournalView>
    private typealias List = EntityListCommand<JournalView>
    private typealias Show = EntityShowCommand<JournalView>
    private typealias Edit = EntityEditCommand<JournalView>
    private typealias Remove = EntityRemoveCommand<JournalView>

    private let double = JournalDouble()
    private var repository: MemoryEntityRepository<JournalEntry> { double.entries }
    private var journal: EntityUseCases<JournalEntry> { double.journal().entries }

    @Test func `an added entry has an id and is queued or synced`() async throws {
        let (console, output, errors) = Console.inMemory()
        try await Add.parse(["Disk full"]).run(journal, console)
        #expect(output.text == "e-1  queued\n")
        #expect(errors.text.isEmpty, "Why it waits is known where it is sent.")
        let entry = try #require(repository.current.items.first)
        #expect(entry.host == "here" && entry.severity == .info && entry.occurredAt == .noon)

        repository.change { $0.syncState = .synced }
        let (second, reply, silence) = Console.inMemory()
        try await Add.parse(["x", "--host", "web1", "--at", "2026-11-20T00:00:00Z"]).run(journal, second)
        #expect(reply.text == "e-2  synced\n")
        #expect(silence.text.isEmpty)
    }

    @Test func `programs get the whole entry and whether it is queued`() async throws {
        let (console, output, errors) = Console.inMemory(json: true)
        try await Add.parse(["Disk \u{9B}full", "--runbook", "r1"]).run(journal, console)
        #expect(
            output.text == #"{"host":"here","id":"e-1","occurred_at":"2026-11-21T12:00:00.000Z","queued":true,"#
                + #""runbook_id":"r1","severity":"info","state":"queued","text":"Disk \u009Bfull","#
                + #""updated_at":"2026-11-21T12:00:00.000Z","version":1}"# + "\n")
        #expect(errors.text.isEmpty)
    }

    @Test(arguments: [(SyncState.rejected, "outbox list"), (.conflicted, "conflicts list")])
    func `an entry that the server does not take as it is names the command that shows why`(
        state: SyncState, command: String
    ) async throws {
        repository.change { $0.syncState = state }
        let (console, _, errors) = Console.inMemory()
        var refusal: CommandFailure?
        do { try await Add.parse(["x"]).run(journal, console) } catch let error as CommandFailure {
            refusal = error
        }
        let said = refusal?.message ?? errors.text
        #expect(said.contains(command))
        #expect(refusal?.status == (state == .rejected ? .rejected : nil))
    }

    @Test func `an unknown runbook is refused and nothing is stored`() async throws {
        let journal = asking(JournalSurroundings(runbook: { _ in .unknown }))
        let (console, _, _) = Console.inMemory()
        let error = await #expect(throws: DomainError.self) {
            try await Add.parse(["x", "--runbook", "nope"]).run(journal, console)
        }
        #expect(error.map(ExitStatus.init) == .notFound)
        #expect(error?.description.contains("'nope'") == true && error?.description.contains("runbooks list") == true)
        #expect(repository.current.items.isEmpty)
    }

    @Test func `a runbook that cannot be checked is stored with a warning`() async throws {
        let journal = asking(JournalSurroundings(runbook: { _ in .unchecked }))
        let (console, output, errors) = Console.inMemory()
        try await Add.parse(["x", "--runbook", "nope"]).run(journal, console)
        try await Edit.parse(["e-1", "--runbook", "other"]).run(journal, console)
        #expect(output.lines == ["e-1  queued", "e-1  queued"])
        #expect(errors.lines.count == 2 && errors.text.contains("'nope'") && errors.text.contains("'other'"))
        let (second, _, silence) = Console.inMemory()
        try await Add.parse(["x"]).run(journal, second)
        #expect(silence.text.isEmpty, "Without a runbook there is nothing to check.")
    }

    @Test func `a clock that is hours off is told with the entry`() async throws {
        let journal = asking(JournalSurroundings(clockOffset: { -3 * 3600 }))
        let (console, output, errors) = Console.inMemory()
        try await Add.parse(["x"]).run(journal, console)
        #expect(output.text == "e-1  queued\n")
        #expect(errors.text.contains("this machine's clock is 3 hours ahead of the server's"))
        let (second, _, silence) = Console.inMemory()
        try await Add.parse(["x", "--at", "2026-11-20T00:00:00Z"]).run(journal, second)
        #expect(silence.text.isEmpty, "A given time does not come from the clock.")
    }

    @Test func `a time that the server would refuse is refused at once, with the clock for a reason`() async throws {
        let decade = 3652.0 * 86_400
        let journal = asking(JournalSurroundings(clockOffset: { -decade }))
        let (console, _, _) = Console.inMemory()
        let error = await #expect(throws: DomainError.self) {
            try await Add.parse(["x"]).run(journal, console)
        }
        #expect(error.map(ExitStatus.init) == .rejected)
        #expect(
            error?.description.contains("3652 days ahead of") == true && error?.description.contains("--at") == true)
        #expect(repository.current.items.isEmpty)
        try await Add.parse(["x", "--at", "2016-01-01T00:00:00Z"]).run(journal, console)
        #expect(repository.current.items.count == 1, "The past is free.")
    }

    private func asking(_ surroundings: JournalSurroundings) -> EntityUseCases<JournalEntry> {
        double.journal(advice: surroundings).entries
    }

    @Test func `text from standard input loses the line break at its end`() async throws {
        let (console, _, _) = Console.inMemory(input: MemoryInput("one\ntwo\n"))
        try await Add.parse(["-"]).run(journal, console)
        #expect(repository.current.items.first?.text == "one\ntwo")
    }

    @Test(arguments: ["", "  \t \n", "\u{A0}", "bad\u{1B}[2J", String(repeating: "x", count: 16_385)])
    func `a text that is not accepted ends with 65 and stores nothing`(text: String) async throws {
        let (console, _, _) = Console.inMemory()
        let error = await #expect(throws: DomainError.self) {
            try await Add.parse(["--", text]).run(journal, console)
        }
        #expect(error.map { console.fail($0).rawValue } == 65)
        #expect(repository.current.items.isEmpty)
    }

    @Test func `the list marks what the server does not have`() async throws {
        repository.change {
            $0.items = [
                .sample("e1", at: .noon.addingTimeInterval(-60)), .sample("e2", severity: .critical, state: .queued),
                .sample("e3", at: .noon.addingTimeInterval(-120), state: .conflicted),
            ]
        }
        let (console, output, errors) = Console.inMemory()
        try await List.parse([]).run(journal, console)
        #expect(
            output.lines == [
                "ID  TIME                  HOST  SEVERITY  STATE       TEXT",
                "e2  2026-11-21 12:00:00Z  web1  critical  queued      Disk full",
                "e1  2026-11-21 11:59:00Z  web1  info                  Disk full",
                "e3  2026-11-21 11:58:00Z  web1  info      conflicted  Disk full",
            ])
        #expect(!errors.text.contains("queued"), "the line of freshness counts them")
        #expect(errors.text.contains("conflicts list"))
    }

    @Test func `the list for programs has the wire's names, state and queued`() async throws {
        repository.change { $0.items = [.sample(state: .queued)] }
        let (console, output, errors) = Console.inMemory(json: true)
        try await List.parse([]).run(journal, console)
        #expect(
            output.text == #"[{"host":"web1","id":"e1","occurred_at":"2026-11-21T12:00:00.000Z","queued":true,"#
                + #""severity":"info","state":"queued","text":"Disk full","updated_at":"2026-11-21T12:00:00.000Z","version":4}]"#
                + "\n")
        #expect(errors.text.isEmpty)
    }

    @Test func `the list is cut by time, host, severity and number`() async throws {
        repository.change {
            $0.items = [
                .sample("old", at: .noon.addingTimeInterval(-90_000)), .sample("other", host: "db1"),
                .sample("bad", severity: .warning), .sample("a"), .sample("b", at: .noon.addingTimeInterval(-1)),
            ]
        }
        let (console, output, _) = Console.inMemory(json: true)
        let list = try TimeInput.$current.withValue(console.timeInput) {
            try List.parse(["--since", "12h", "--host", "web1", "--severity", "info", "--limit", "1"])
        }
        try await list.run(journal, console)
        #expect(output.text.contains(#""id":"a""#))
        #expect(output.text.components(separatedBy: "\"id\"").count == 2)
    }

    @Test func `a list on a terminal has short ids and times, and no column for what every entry has in common`()
        async throws
    {
        let ids = ["00000b77e01d", "00000b77e02d", "0000ab77e01d"].map { "019a9a3e-1f00-7000-8000-\($0)" }
        repository.change { $0.items = ids.map { .sample($0) } }
        let (console, output, _) = Console.inMemory(width: 60)
        try await List.parse([]).run(journal, console)
        #expect(
            output.lines == [
                "ID        TIME UTC     HOST  SEV   TEXT", "ab77e01d  11-21 12:00  web1  info  Disk full",
                "0b77e02d  11-21 12:00  web1  info  Disk full", "0b77e01d  11-21 12:00  web1  info  Disk full",
            ])
    }

    @Test func `a table shows 50 entries and says so, a program gets all of them`() async throws {
        repository.change { $0.items = (0..<60).map { .sample("e\($0)") } }
        let cases: [(isJSON: Bool, limit: [String], shown: Int)] = [
            (false, [], 50), (true, [], 60), (false, ["--limit", "60"], 60), (true, ["--limit", "7"], 7),
        ]
        for (isJSON, limit, shown) in cases {
            let (console, output, errors) = Console.inMemory(json: isJSON)
            try await List.parse(limit).run(journal, console)
            #expect(errors.text == (shown == 60 ? "" : "\(shown) shown, and there are more; --limit N shows them.\n"))
            #expect(output.text.components(separatedBy: "Disk full").count == shown + 1)
        }
    }

    @Test func `an entry is named by the end or the beginning of its id`() async throws {
        let whole = "019a9a3e-1f00-7000-8000-00000b77e01d"
        repository.change {
            $0.items = [.sample(whole), .sample("019a9a3e-1f00-7000-8000-00000c77e01d", text: "Other")]
        }
        let (console, output, _) = Console.inMemory()
        try await Show.parse(["b77e01d"]).run(journal, console)
        try await Edit.parse(["0b77E01D", "--text", "Disk empty"]).run(journal, console)
        try await Remove.parse(["b77e01d"]).run(journal, console)
        #expect(output.lines.contains("id        \(whole)") && output.lines.contains("\(whole)  queued"))
        #expect(output.lines.last == "\(whole)  deleted")
        #expect(repository.current.items.map(\.text) == ["Other"])
    }

    @Test func `a part of several ids names them and changes nothing, one of none is not found`() async throws {
        repository.change {
            $0.items = ["019a9a3e-1f00-7000-8000-00000b77e01d", "019a9a3e-1f00-7000-8000-00000c77e01d"].map {
                .sample($0)
            }
        }
        let (console, _, errors) = Console.inMemory()
        let several = await #expect(throws: DomainError.self) {
            try await Remove.parse(["77e01d"]).run(journal, console)
        }
        #expect(several.map { console.fail($0).rawValue } == 65)
        #expect(errors.text.contains("'77e01d' is part of several ids: 019a9a3e-1f00-7000-8000-00000b77e01d, "))
        let none = await #expect(throws: DomainError.self) {
            try await Remove.parse(["0000dead"]).run(journal, console)
        }
        #expect(none.map { console.fail($0).rawValue } == 66)
        #expect(repository.current.items.count == 2)
    }

    @Test(arguments: [nil, Date.noon])
    func `a list without entries says whether this machine was ever synchronised`(synced: Date?) async throws {
        var upkeep = ListUpkeep()
        upkeep.status = { SyncStatus(pending: 0, rejected: 0, conflicts: 0, lastSyncedAt: synced) }
        let journal = EntityUseCases(repository, upkeep: upkeep)
        let (console, output, errors) = Console.inMemory()
        try await List.parse([]).run(journal, console)
        let sentence = "There are no journal entries on this machine yet. Never synchronised: after a login, "
        #expect(output.text.isEmpty && errors.lines.count == 2)
        #expect(errors.lines.first == "No entries." || synced == nil)
        #expect(errors.text.hasPrefix(sentence) == (synced == nil), "\(errors.text)")
        #expect(errors.text.contains("sync' fetches those of the server.") == (synced == nil))

        let (filtered, _, told) = Console.inMemory()
        try await List.parse(["--host", "web1"]).run(journal, filtered)
        #expect(told.lines.first?.hasPrefix("No journal entries are like this") == true, "There may be others here.")
        let (document, json, silence) = Console.inMemory(json: true)
        try await List.parse([]).run(journal, document)
        #expect(json.text == "[]\n" && silence.text.isEmpty)
    }

    @Test func `an export and a report say how far the journal is behind the server, but not in JSON`() async throws {
        var upkeep = ListUpkeep()
        upkeep.status = { SyncStatus(pending: 2, rejected: 0, conflicts: 0, lastSyncedAt: nil) }
        let entries = EntityUseCases(repository, upkeep: upkeep)
        let journal = Journal(entries, importLog: double.importLog(), clock: ManualWallClock(.noon))
        for isJSON in [false, true] {
            let (console, _, errors) = Console.inMemory(json: isJSON)
            let words = isJSON ? ["--json"] : []
            try await EntityExportCommand<JournalView>.parse(words).run(entries, console)
            try await ReportCommand.parse(words).run(journal, console)
            #expect(errors.lines == (isJSON ? [] : Array(repeating: "2 unsent · never synced", count: 2)))
        }
    }

    @Test func `an unreadable journal is an error, not an empty list`() async throws {
        repository.change { $0.failure = .storage("The journal is damaged.") }
        let (console, output, _) = Console.inMemory()
        await #expect(throws: DomainError.storage("The journal is damaged.")) {
            try await List.parse([]).run(journal, console)
        }
        #expect(output.text.isEmpty)
    }

    @Test func `a line of the journal cannot speak to the terminal`() async throws {
        let text = "\u{1B}]0;owned\u{07}\nerror: fake"
        repository.change { $0.items = [.sample(text: text)] }
        let (console, output, _) = Console.inMemory(width: 200)
        try await List.parse([]).run(journal, console)
        try await Show.parse(["e1"]).run(journal, console)
        try await ReportCommand.parse([]).run(double.journal(), console)
        #expect(!output.text.contains("\u{1B}") && !output.text.contains("\u{07}"))
        #expect(
            output.lines.count { $0.hasPrefix("error: fake") } == 1, "its own line only where the text stands alone")
    }

    @Test func `an entry is shown with all its fields`() async throws {
        repository.change { $0.items = [.sample(state: .rejected)] }
        let (console, output, _) = Console.inMemory()
        try await Show.parse(["e1"]).run(journal, console)
        #expect(
            output.text == """
                id        e1
                host      web1
                severity  info
                occurred  2026-11-21 12:00:00Z
                runbook   none
                author    none
                state     rejected
                version   4
                updated   2026-11-21 12:00:00Z

                Disk full

                """)
    }
}
