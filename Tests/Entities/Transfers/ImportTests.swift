import ArgumentParser
import FoundationEssentials
import StrataConcurrency
import StrataFeatureTesting
import StrataOffline
import StrataTerminal
import StrataTesting
import Testing

@testable import StrataDomain

struct ImportTests {
    private let memory = MemoryEntityRepository<Scrap>()
    private var run: ScrapCommands { ScrapCommands(repository: memory) }

    private static func rows(_ count: Int) -> String {
        CSVText.record(["body", "level"]) + (0..<count).map { CSVText.record(["row \($0)", "\($0 % 9)"]) }.joined()
    }

    // MARK: - Round trips

    @Test(arguments: ["csv", "ndjson"], 1...4 as ClosedRange<UInt64>)
    func `what is exported goes in elsewhere and comes out in equal bytes`(format: String, seed: UInt64) async throws {
        let directory = try TemporaryDirectory()
        var random = SeededRandom(seed: seed)
        let (here, _) = try await offline("here", in: directory)
        let drafts = try (0..<150).map { _ in EntityDraft<Scrap>(try Scrap.random(&random).wireFields()) }
        #expect(try await here.createAll(drafts).count == 150)
        let first = try await ScrapCommands(repository: here)("export", "--format", format)
        #expect(first.status == 0)

        let (there, _) = try await offline("there", in: directory)
        let run = ScrapCommands(repository: there)
        let result = try await run("import", "-", input: first.output)
        #expect(result.output == "done: 150 created, 0 updated, 0 unchanged, 0 invalid\n", "\(result.errors)")
        let second = try await run("export", "--format", format)
        #expect(Array(second.output.utf8) == Array(first.output.utf8))
        #expect(
            try await run("import", "-", input: second.output).output
                == "done: 0 created, 0 updated, 150 unchanged, 0 invalid\n")
    }

    // MARK: - Repeated imports

    @Test func `an import that was killed goes on, and queues nothing twice`() async throws {
        let directory = try TemporaryDirectory()
        let (repository, store) = try await offline("here", in: directory)
        let text = Self.rows(1500)
        // The first two transactions of an import.
        var names = ImportReader<Scrap>(.csv, Self.context)
        _ = try names.items(in: Data(text.utf8))
        _ = try names.finish()
        var reader = ImportReader<Scrap>(.csv, Self.context, names: names.read)
        let rows = try reader.items(in: Data(text.utf8)).compactMap { item -> ImportRow<Scrap>? in
            if case .row(let row) = item { return row } else { return nil }
        }
        #expect(Set(rows.map(\.name)).count == 1500 && rows.map(\.name) == rows.map(\.name).sorted())
        _ = try await repository.importing(Array(rows.prefix(1000)), isTrial: false, Self.context)
        #expect(try await store.entries().count == 1000)

        let run = ScrapCommands(repository: repository)
        #expect(
            try await run("import", "-", input: text).output
                == "done: 500 created, 0 updated, 1000 unchanged, 0 invalid\n")
        let sent = try await store.entries().map(\.mutation.id)
        #expect(sent.count == 1500)
        // Neither an edit nor a removal is undone.
        _ = try await repository.update(Scrap.ID(rows[0].name), to: Scrap(body: "edited", level: 0), basedOn: 0)
        #expect(
            try await run("import", "-", input: text).output
                == "done: 0 created, 0 updated, 1500 unchanged, 0 invalid\n")
        #expect(try await store.entries().map(\.mutation.id) == sent)
        #expect(try await repository.get(Scrap.ID(rows[0].name), .cacheFirst).value.body == "edited")
    }

    @Test func `rows of another file are other entities`() async throws {
        let directory = try TemporaryDirectory()
        let run = ScrapCommands(repository: try await offline("here", in: directory).repository)
        for text in [Self.rows(2), Self.rows(3)] {
            #expect(try await run("import", "-", input: text).output.hasSuffix("0 unchanged, 0 invalid\n"))
        }
        #expect(try await run("export", "--columns", "body").output.split(separator: "\r\n").count == 6)
    }

    @Test func `a server that was lost half way gets the same requests again, each with its key`() async throws {
        let client = MockAPIClient()
        let state = KeyedServer()
        client.onResponse(CreateEntity<Scrap>.self) { call, options in
            let key = try #require(options.idempotencyKey)
            let replayed = try state.take(key, call.draft.fields, failAfter: 700)
            let head = ResponseHead(status: 201, headers: replayed ? ["Idempotency-Replayed": "true"] : [:])
            return APIResponse(
                head: head,
                value: Stored(id: Scrap.ID(key), try Scrap(fields: call.draft.fields), version: 1, updatedAt: .noon))
        }
        let run = ScrapCommands(repository: RemoteEntityRepository<Scrap>(client: client, command: "x scraps"))
        let first = try await run("import", "-", input: Self.rows(900))
        #expect(first.status == 69 && first.errors.contains("500 created") && first.output.isEmpty)
        let known = state.count
        #expect((500..<900).contains(known))
        let second = try await run("import", "-", input: Self.rows(900))
        #expect(second.output == "done: \(900 - known) created, 0 updated, \(known) unchanged, 0 invalid\n")
        #expect(state.count == 900)
    }

    /// A server that knows keys, and is lost once after some calls.
    private final class KeyedServer: Sendable {
        private struct Values {
            var keys: [String: [String: JSONValue]] = [:]
            var calls = 0
        }

        private let values = Mutex(Values())
        var count: Int { values.withLock { $0.keys.count } }

        func take(_ key: String, _ fields: [String: JSONValue], failAfter limit: Int) throws -> Bool {
            try values.withLock { values in
                values.calls += 1
                if values.calls == limit { throw NetworkError(.offline("connection refused")) }
                if let known = values.keys[key] {
                    #expect(known == fields, "A key has one payload.")
                    return true
                }
                values.keys[key] = fields
                return false
            }
        }
    }

    @Test func `a real server creates the rows of a file once`() async throws {
        try await withBackend(ScrapsService()) { backend in
            let remote = RemoteEntityRepository<Scrap>(client: try backend.client(), command: "x scraps")
            let run = ScrapCommands(repository: remote)
            #expect(try await run("import", "-", input: Self.rows(20)).output.hasPrefix("done: 20 created"))
            #expect(
                try await run("import", "-", input: Self.rows(20)).output
                    == "done: 0 created, 0 updated, 20 unchanged, 0 invalid\n")
            let text = try await run("export").output
            let edited = text.replacing("row 3,", with: "row three,")
            #expect(
                try await run("import", "-", input: edited).output
                    == "done: 0 created, 1 updated, 19 unchanged, 0 invalid\n")
            // The file has the version from before.
            let stale = try await run("import", "-", input: text)
            #expect(stale.status == 65 && stale.errors.contains("the row was made of version"))
            #expect(try await remote.list(.mustAsk).value.map(\.body).contains("row three"))
        }
    }

    // MARK: - Changes

    @Test func `a row with an id changes what its columns say, and nothing else`() async throws {
        var scrap = Scrap(body: "old", level: 1)
        (scrap.note, scrap.count) = ("note", 7)
        memory.change { $0.items = [Stored(id: Scrap.ID("s-1"), scrap, version: 3, updatedAt: .noon)] }
        let result = try await run("import", "-", input: "id,level,note\ns-1,5,\n")
        #expect(result.output == "done: 0 created, 1 updated, 0 unchanged, 0 invalid\n")
        (scrap.level, scrap.note) = (5, nil)
        #expect(memory.current.items.map(\.content) == [scrap])
        _ = try await run("import", "-", input: "{\"id\":\"s-1\",\"note\":\"\"}\n\n")
        scrap.note = ""
        #expect(memory.current.items.map(\.content) == [scrap] && memory.current.items[0].version == 5)
    }

    @Test func `a row whose id names nothing, or a newer version, is told and the others are stored`() async throws {
        memory.change {
            $0.items = [Stored(id: Scrap.ID("s-1"), Scrap(body: "a", level: 1), version: 3, updatedAt: .noon)]
        }
        let text = "id,body,level,version\ngone,x,1,\ns-1,b,1,2\n,new,2,\n"
        let result = try await run("import", "-", input: text)
        #expect(result.status == 65 && result.output == "done: 1 created, 0 updated, 0 unchanged, 2 invalid\n")
        let told = result.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(told.contains("Line 2") && told.contains("Line 3"), "\(told)")
        #expect(memory.current.items.map(\.body) == ["a", "new"])
    }

    // MARK: - Flaws

    private static let flawed = "body,level,is_open\nok,1,true\nx,many,true\ny,10,perhaps\n,1,\nz,1\n"

    @Test func `flaws are told by line, column and value, and nothing is stored`() async throws {
        let result = try await run("import", "-", input: Self.flawed)
        #expect(result.status == 65 && memory.current.items.isEmpty)
        #expect(result.output == "nothing is stored: 0 created, 0 updated, 0 unchanged, 4 invalid\n")
        for words in [
            "Line 3, level 'many': must be", "Line 4, level '10': must be", "Line 4, is_open 'perhaps': must be",
            "Line 5, body: must have a value", "Line 6: has 2 columns",
        ] {
            #expect(result.errors.contains(words), "\(words): \(result.errors)")
        }
    }

    @Test func `the valid rows go in when that is asked for`() async throws {
        let result = try await run("import", "-", "--skip-invalid", input: Self.flawed, json: true)
        #expect(result.status == 65 && memory.current.items.map(\.body) == ["ok"])
        let document = try WireJSON.decode(JSONValue.self, from: Data(result.output.utf8)).object
        #expect(document?["created"] == .integer(1) && document?["invalid"] == .integer(4))
        guard case .array(let flaws)? = document?["flaws"] else {
            Issue.record("\(result.output)")
            return
        }
        #expect(flaws.first?.object?["line"] == .integer(3) && flaws.first?.object?["column"] == .string("level"))
    }

    @Test func `the first flaws are shown, and a hidden value is not`() async throws {
        let secret = String(repeating: "secret ", count: 20)
        let rows = (0..<50).map { _ in "x,9,\(secret)" }.joined(separator: "\n")
        let result = try await run("import", "-", input: "body,level,note\n" + rows)
        #expect(result.errors.split(separator: "\n").count == 21 && !result.errors.contains("secret"))
        #expect(result.errors.contains("Line 2, note: must have 0 to 100 bytes"))
        #expect(result.output.contains("50 invalid"))
    }

    @Test(arguments: [
        ("", "is empty"), ("body,size\n", "'size' is no field of scraps"), ("body,body\n", "twice"),
        ("body\n", "'level' is missing"), ("\"body\n", "not closed"),
    ])
    func `a first line that cannot be used is refused by its column`(text: String, words: String) async throws {
        let result = try await run("import", "-", input: text)
        #expect(result.status == 65 && result.errors.contains(words), "\(result.errors)")
    }

    @Test func `a trial stores nothing and says what would be`() async throws {
        let directory = try TemporaryDirectory()
        let (repository, store) = try await offline("here", in: directory)
        let run = ScrapCommands(repository: repository)
        #expect(
            try await run("import", "-", "--dry-run", input: Self.rows(3)).output
                == "dry run: 3 created, 0 updated, 0 unchanged, 0 invalid\n")
        #expect(try await store.entries().isEmpty)
        _ = try await run("import", "-", input: Self.rows(3))
        #expect(
            try await run("import", "-", "--dry-run", input: Self.rows(3)).output
                == "dry run: 0 created, 0 updated, 3 unchanged, 0 invalid\n")
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a damaged file goes in whole, or is refused by line or column with nothing stored`(seed: UInt64) async throws
    {
        var random = SeededRandom(seed: seed)
        let columns = Scrap.fields.map(\.name)
        let rows = (0..<12).map { _ in
            let scrap = Scrap.random(&random)
            return CSVText.record(Scrap.fields.map { $0.cell($0.value(scrap)) })
        }
        var bytes = Array((CSVText.record(columns) + rows.joined()).utf8)
        let hostile = Array("\",\r\n\u{0}\u{1B}9-".utf8) + [0xFF, 0xC3, 0xEF]
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.insert(hostile.randomElement(using: &random) ?? 0, at: place)
            case 1: bytes[place] = hostile.randomElement(using: &random) ?? 0
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...9, using: &random)))
            default: bytes.removeSubrange(place...)
            }
        }
        let (console, output, errors) = Console.inMemory(input: MemoryInput([Data(bytes)]))
        let command = try #require(
            try ScrapCommands.Group.parseAsRoot(["import", "-", "--format", "csv"]) as? any EntityCommand<Scrap>)
        do {
            try await command.run(EntityUseCases(memory), console)
            #expect(output.text.contains("0 invalid") && memory.current.items.count <= 16)
        } catch {
            #expect(console.fail(error) == .rejected)
            #expect(
                errors.text.contains("ine ") || errors.text.contains("olumn") || errors.text.contains("is empty"),
                "\(errors.text)")
            #expect(memory.current.items.isEmpty)
        }
    }

    private static let context = NewEntityContext(now: .noon, host: "here")
}
