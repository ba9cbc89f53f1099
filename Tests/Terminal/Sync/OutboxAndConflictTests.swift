import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataSystem
import StrataTesting
import Testing

@testable import StrataTerminal

struct OutboxAndConflictTests {
    private static let noon = Date.noon

    private let entry = OutboxEntry(
        mutation: Mutation(
            id: "m1", clientSeq: 1, collection: "journal_entries", entityId: "e1", operation: .patch, baseVersion: 3,
            fields: ["text": .string("new\u{1B}[2J"), "runbook_id": .null], at: noon),
        state: .rejected, attempts: 2, nextAttemptAt: nil, error: "text is too long")

    private let conflict = SyncConflict(
        id: "c1", collection: "journal_entries", entityId: "e1", fields: ["text"],
        base: ["text": .string("was"), "host": .string("web1")],
        local: ["text": .string("mine"), "host": .string("web1")],
        remote: nil, reason: "deleted on the server", createdAt: noon)

    private func tools(_ outbox: FakeOutbox = FakeOutbox(), _ conflicts: FakeConflicts = FakeConflicts()) -> SyncTools {
        SyncTools(sync: FakeSync(), outbox: outbox, conflicts: conflicts)
    }

    @Test func `the outbox is a table`() async throws {
        let (console, output, _) = Console.inMemory()
        try await ResourceListCommand<OutboxRow>.parse([]).run(tools(FakeOutbox([entry])), console)
        #expect(
            output.lines == [
                "ID  STATE     WRITE                  ENTITY  TRIES  ERROR",
                "m1  rejected  patch journal_entries  e1          2  text is too long",
            ])
    }

    @Test(arguments: [false, true])
    func `lists of what waits here say how far they are behind the server, but not as JSON`(isJSON: Bool) async throws {
        let (console, _, errors) = Console.inMemory(json: isJSON)
        let tools = tools(FakeOutbox([entry]), FakeConflicts([conflict]))
        try await ResourceListCommand<OutboxRow>.parse([]).run(tools, console)
        try await ResourceListCommand<ConflictRow>.parse([]).run(tools, console)
        let line = try await tools.sync.status().freshness(at: console.clock.now)
        #expect(errors.lines == (isJSON ? [] : [line, line]))
    }

    @Test func `the outbox with --json is an array`() async throws {
        let (console, output, _) = Console.inMemory(json: true)
        try await ResourceListCommand<OutboxRow>.parse([]).run(tools(FakeOutbox([entry])), console)
        #expect(
            output.text == #"[{"at":"2026-11-21T12:00:00.000Z","attempts":2,"base_version":3,"#
                + #""collection":"journal_entries","entity_id":"e1","error":"text is too long","#
                + #""fields":{"runbook_id":null,"text":"new\u001b[2J"},"id":"m1","operation":"patch","state":"rejected"}]"#
                + "\n")
    }

    @Test func `the outbox and the conflicts are exported, with the columns of their lists`() async throws {
        let (console, output, _) = Console.inMemory()
        let tools = tools(FakeOutbox([entry]), FakeConflicts([conflict]))
        try await ResourceExportCommand<OutboxRow>.parse([]).run(tools, console)
        try await ResourceExportCommand<ConflictRow>.parse([]).run(tools, console)
        #expect(
            output.text == "id,state,write,entity,tries,error\r\n"
                + "m1,rejected,patch journal_entries,e1,2,text is too long\r\n"
                + "id,collection,entity,fields,since,reason\r\n"
                + "c1,journal_entries,e1,text,2026-11-21T12:00:00.000Z,deleted on the server\r\n")
    }

    @Test func `a shell gets a title for each unsent write and conflict`() async throws {
        let tools = tools(FakeOutbox([entry]), FakeConflicts([conflict]))
        #expect(
            try await tools.outboxCandidates() == [
                IDCandidate(id: "m1", title: "rejected, patch journal_entries, text is too long")
            ])
        #expect(
            try await tools.conflictCandidates() == [
                IDCandidate(id: "c1", title: "journal_entries, text: deleted on the server")
            ])
    }

    @Test func `a write is shown with its fields, escaped`() async throws {
        let (console, output, _) = Console.inMemory()
        try await OutboxShowCommand.parse(["m1"]).run(tools(FakeOutbox([entry])), console)
        #expect(output.lines.contains(#"field text        new\x1B[2J"#))
        #expect(output.lines.contains("field runbook_id  null"))
        #expect(output.lines.contains("error             text is too long"))
    }

    @Test func `an unknown write names the command that lists them`() async throws {
        let (console, _, _) = Console.inMemory()
        let error = await #expect(throws: DomainError.self) {
            try await OutboxShowCommand.parse(["nope"]).run(tools(), console)
        }
        #expect(error.map(ExitStatus.init) == .notFound)
        #expect(error?.description.contains("'nope'") == true && error?.description.contains("outbox list") == true)
    }

    @Test func `a write is retried or discarded by id`() async throws {
        let outbox = FakeOutbox([entry])
        let (console, output, _) = Console.inMemory()
        try await OutboxRetryCommand.parse(["m1"]).run(tools(outbox), console)
        #expect(try await outbox.entries().first?.state == .pending)
        try await OutboxDiscardCommand.parse(["m1"]).run(tools(outbox), console)
        #expect(try await outbox.entries().isEmpty)
        #expect(output.lines == ["m1  queued", "m1  discarded"])
        await #expect(throws: DomainError.self) {
            try await OutboxRetryCommand.parse(["m1"]).run(tools(outbox), console)
        }
    }

    @Test func `a conflict shows both sides, with the conflicting fields marked`() async throws {
        let (console, output, errors) = Console.inMemory()
        try await ConflictShowCommand.parse(["c1"]).run(tools(FakeOutbox(), FakeConflicts([conflict])), console)
        #expect(
            output.lines.suffix(3) == [
                "FIELD   BASE  LOCAL  REMOTE  RULE", "  host  web1  web1   (gone)  goes with the row",
                "* text  was   mine   (gone)  ask",
            ])
        #expect(output.lines.contains("rule    ask: edited here, deleted on the server"))
        #expect(errors.text.contains("conflicts resolve"))
    }

    @Test(arguments: [40, 80, 200])
    func `values of a conflict are whole, also where they differ at their end`(width: Int) throws {
        let start = String(repeating: "the same words ", count: 40)
        let ends = ["BEFORE", "HERE\u{1B}[2J", "THERE"]
        let sides = ends.map { ["text": JSONValue.string(start + $0)] }
        let conflict = SyncConflict(
            id: "c3", collection: "journal_entries", entityId: "e3", fields: ["text"], base: sides[0], local: sides[1],
            remote: sides[2], reason: "Changed here and on the server: text.", createdAt: Self.noon)
        let lines = ConflictShowCommand.sides(of: conflict).lines(width: width, colored: false)
        let head = try #require(lines.first)
        let places = try ["BASE", "LOCAL", "REMOTE", "RULE"].map {
            head[..<(try #require(head.firstRange(of: $0)).lowerBound)].count
        }
        for (side, end) in ends.enumerated() {
            let column = lines.dropFirst().map { $0.prefix(places[side + 1]).dropFirst(places[side]) }.joined()
            #expect(column.filter { $0 != " " } == SafeText.oneLine(start + end).filter { $0 != " " })
        }
        #expect(lines.allSatisfy { $0.count <= width })
    }

    @Test func `each field of a conflict names its merge rule`() async throws {
        func fields(_ values: String...) -> [String: JSONValue] {
            Dictionary(uniqueKeysWithValues: zip(["a", "b", "c", "d", "e", "f"], values.map { .string($0) }))
        }
        let conflict = SyncConflict(
            id: "c2", collection: "journal_entries", entityId: "e2", fields: ["c"],
            base: fields("0", "0", "0", "0", "0", "0"), local: fields("0", "1", "1", "1", "0", "1"),
            remote: fields("0", "1", "2", "0", "2", "2"), reason: "Changed here and on the server: c.",
            createdAt: Self.noon)
        let (console, output, _) = Console.inMemory()
        try await ConflictShowCommand.parse(["c2"]).run(tools(FakeOutbox(), FakeConflicts([conflict])), console)
        #expect(
            output.lines.suffix(6) == [
                "  a    0     0      0       unchanged", "  b    0     1      1       agreed",
                "* c    0     1      2       ask", "  d    0     1      0       local: changed here only",
                "  e    0     0      2       server: changed there only",
                "  f    0     1      2       the collection's policy",
            ])
    }

    @Test func `conflicts with --json are an array`() async throws {
        let (console, output, _) = Console.inMemory(json: true)
        try await ResourceListCommand<ConflictRow>.parse([]).run(
            tools(FakeOutbox(), FakeConflicts([conflict])), console)
        #expect(try WireJSON.decode([SyncConflict].self, from: Data(output.text.utf8)) == [conflict])
        #expect(output.text.contains(#""entity_id":"e1""#))
    }

    @Test(arguments: SyncConflict.Side.allCases)
    func `a conflict is resolved for the chosen side`(side: SyncConflict.Side) async throws {
        let conflicts = FakeConflicts([conflict])
        let (console, output, _) = Console.inMemory(json: true)
        try await ConflictResolveCommand.parse(["c1", "--keep", side.rawValue]).run(
            tools(FakeOutbox(), conflicts), console)
        #expect(conflicts.resolved == ["c1": side])
        #expect(output.text == #"{"id":"c1","result":"resolved, kept \#(side.rawValue)"}"# + "\n")
    }

    @Test func `a conflict is found by the id of its entity`() async throws {
        let conflicts = FakeConflicts([conflict])
        let (console, output, _) = Console.inMemory()
        try await ConflictShowCommand.parse(["e1"]).run(tools(FakeOutbox(), conflicts), console)
        #expect(output.text.contains("c1"))
        try await ConflictResolveCommand.parse(["e1", "--keep", "local"]).run(tools(FakeOutbox(), conflicts), console)
        #expect(conflicts.resolved == ["c1": .local])
    }

    @Test func `the id of an entity with two conflicts resolves neither`() async throws {
        var other = conflict
        other.id = "c2"
        other.collection = "runbooks"
        let conflicts = FakeConflicts([conflict, other])
        let (console, _, _) = Console.inMemory()
        await #expect(throws: DomainError.validation("2 conflicts are about 'e1'; name one of them: c1 and c2.")) {
            try await ConflictResolveCommand.parse(["e1", "--keep", "local"])
                .run(tools(FakeOutbox(), conflicts), console)
        }
        #expect(conflicts.resolved.isEmpty)
    }

    @Test(arguments: ["show nonsense", "resolve nonsense --keep local"])
    func `an unknown conflict names the command that lists them`(line: String) async throws {
        let (console, _, _) = Console.inMemory()
        let words = line.split(separator: " ").dropFirst().map(String.init)
        await #expect(
            throws: DomainError.notFound(
                "No open conflict has the id 'nonsense'; '\(ProgramName.current) conflicts list' shows the ids.")
        ) {
            if line.hasPrefix("show") {
                try await ConflictShowCommand.parse(words).run(tools(FakeOutbox(), FakeConflicts([conflict])), console)
            } else {
                try await ConflictResolveCommand.parse(words)
                    .run(tools(FakeOutbox(), FakeConflicts([conflict])), console)
            }
        }
    }
}
