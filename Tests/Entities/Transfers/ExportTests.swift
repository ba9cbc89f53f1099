import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

struct ExportTests {
    private let memory = MemoryEntityRepository<Scrap>(
        [
            Stored(id: Scrap.ID("s-1"), Scrap(body: "a|b\n<i>", level: 1), version: 3, updatedAt: .noon, author: "ada"),
            Stored(id: Scrap.ID("s-2"), Scrap(body: "", level: 2), version: 1, updatedAt: .noon),
        ])
    private var run: ScrapCommands { ScrapCommands(repository: memory) }

    @Test func `CSV has a line for each row, and tells no value from an empty text`() async throws {
        let result = try await run("export")
        #expect(
            result.output
                == "id,body,note,level,count,ratio,is_open,read_at,kind,page,batch,owner,labels,tags,sizes,loads,kinds,version\r\n"
                + "s-2,\"\",,2,,,,,,,,,,\"\",,,,1\r\n" + "s-1,\"a|b\n<i>\",,1,,,,,,,,,,\"\",,,,3\r\n")
        #expect(result.status == 0 && result.errors.isEmpty && memory.current.policies == [.mustAsk])
    }

    @Test func `columns are chosen, and an unknown one is named`() async throws {
        let result = try await run("export", "--columns", "level,updated-at,author")
        #expect(
            result.output
                == "level,updated_at,author\r\n2,2026-11-21T12:00:00.000Z,\r\n1,2026-11-21T12:00:00.000Z,ada\r\n")
        let refused = try await run("export", "--columns", "level,size")
        #expect(
            refused.status == 65 && refused.errors.contains("'size' is no column of scraps") && refused.output.isEmpty)
    }

    @Test func `JSON is the document of the list`() async throws {
        #expect(try await run("export", "--format", "json").output == run("list", json: true).output)
        memory.change { $0.items = [] }
        #expect(try await run("export", "--format", "json").output == "[]\n")
    }

    @Test func `lines of JSON are whole, also without a value`() async throws {
        let lines = try await run("export", "--format", "ndjson", "--columns", "id,note,level").output
        #expect(lines == #"{"id":"s-2","level":2,"note":null}"# + "\n" + #"{"id":"s-1","level":1,"note":null}"# + "\n")
    }

    @Test func `Markdown is a table whose cells cannot leave it, without hidden fields`() async throws {
        let text = try await run("export", "--format", "markdown", "--columns", "id,body").output
        #expect(text == "| id | body |\n| --- | --- |\n| s-2 |  |\n| s-1 | a\\|b<br>&lt;i> |\n")
        #expect(try await !run("export", "--format", "markdown").output.contains("note"))
    }

    @Test func `a file has the format of its name, and is there when it is complete`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("scraps.ndjson")
        let result = try await run("export", "-o", path)
        #expect(result.output.isEmpty && result.errors.contains("2 scraps are in"))
        let text = try String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        #expect(text.split(separator: "\n").count == 2)
        memory.change { $0.items.removeLast() }
        #expect(try await run("export", "-o", directory.file("one.csv")).errors.contains("1 scrap is in"))

        memory.change { $0.failure = .unavailable("connection refused") }
        let other = directory.file("other.csv")
        let failed = try await run("export", "-o", other)
        #expect(failed.status == 69)
        #expect(throws: (any Error).self) { try Data(contentsOf: URL(filePath: other)) }
        #expect(try await run("export", "-o", directory.file("no/such.csv")).status == 73)
    }

    @Test func `pages of the server are passed on in order, a row that moved once`() async throws {
        let client = MockAPIClient()
        client.on(ListEntities<Scrap>.self) { call, _ in
            let page = call.cursor.flatMap { Int($0) } ?? 0
            #expect(call.query.limit == 200)
            let ids = ["s-\(page)", "s-\(page + 1)"]
            let items = ids.map { Stored(id: Scrap.ID($0), Scrap(body: "x", level: 1), version: 1, updatedAt: .noon) }
            return CursorPage(items: items, nextCursor: page < 3 ? "\(page + 1)" : nil)
        }
        let remote = RemoteEntityRepository<Scrap>(client: client, command: "x scraps")
        let text = try await ScrapCommands(repository: remote)("export", "--columns", "id").output
        #expect(text == "id\r\ns-0\r\ns-1\r\ns-2\r\ns-3\r\ns-4\r\n")

        client.on(ListEntities<Scrap>.self) { _, _ in CursorPage(items: [], nextCursor: "again") }
        #expect(try await ScrapCommands(repository: remote)("export").status == 70)
    }
}
