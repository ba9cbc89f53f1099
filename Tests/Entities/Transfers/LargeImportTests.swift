import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataOffline
import StrataService
import StrataTesting
import Testing

/// Many rows in and out: each export has the bytes of the file. `STRATA_LARGE=1` takes 10,000 rows, otherwise there are 1,000.
struct LargeImportTests {
    /// Of few fields, because requests take their time; `ImportTests` has the values of every type.
    struct Sample: Entity {
        static let noun = "sample"
        static let collection = "samples"
        static let fields: [EntityField<Sample>] = [
            .init("number", \.number).sortable, .init("text", \.text, .lines(0...100)), .init("level", \.level),
        ]
        var number: Int
        var text: String?
        var level: Double?
    }

    private struct SamplesService: FeatureService {
        let table = EntityTable<Sample>()
        var migrations: [StoreMigration] { table.migrations }
        var syncedCollections: [any SyncedCollection] { [table] }
        func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
    }

    private static let rows = ProcessInfo.processInfo.environment["STRATA_LARGE"] == "1" ? 10_000 : 1000
    private static let done = "done: \(rows) created, 0 updated, 0 unchanged, 0 invalid\n"

    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    /// Samples by their number, with quotes, line breaks, letters in two spellings, and missing and empty values.
    private static let samples = (0..<rows).map { number in
        let texts = [nil, "", "a \"b\", c", "a\nb", "é e\u{301}", "=1+1", "日本 \(number)"]
        let level = number.isMultiple(of: 3) ? nil : Double(number) / 7 - 500
        return Sample(number: number, text: texts[number % texts.count], level: level)
    }

    private static func file(_ format: String) async throws -> String {
        let items = samples.map {
            Stored(id: Sample.ID("s-\($0.number)"), $0, version: 1, updatedAt: .noon)
        }
        return try await export(MemoryEntityRepository(items), format)
    }

    private static func export(_ repository: any EntityRepository<Sample>, _ format: String) async throws -> String {
        let result = try await TransferCommands(repository: repository)(
            "export", "--format", format, "--columns", "number,text,level", "--sort", "number")
        #expect(result.status == 0, "\(result.errors)")
        return result.output
    }

    /// Of bytes, because letters in two spellings are equal otherwise. A failure does not print them.
    private static func areEqual(_ first: String, _ second: String) -> Bool { first.utf8.elementsEqual(second.utf8) }

    @Test func `rows go through the outbox to the server and come out in equal bytes`() async throws {
        let file = try await Self.file("csv")
        try await withBackend(SamplesService()) { [directory] backend in
            let (here, store) = try await offline("here", in: directory, of: Sample.self)
            let result = try await TransferCommands(repository: here)("import", "-", input: file)
            #expect(result.output == Self.done, "\(result.errors)")
            #expect(Self.areEqual(try await Self.export(here, "csv"), file))
            // Newest first: the rows of the file from below.
            let list = try await here.list(.cacheFirst).value
            #expect(list.map(\.content) == Self.samples.reversed())
            #expect(Set(try await store.entries().map(\.mutation.entityId)) == Set(list.map(\.id.rawValue)))

            let client = try backend.client()
            let report = try await SyncEngine(database: store.database, client: client).sync()
            #expect(report.pushed == Self.rows && report.rejected == 0 && report.conflicts == 0)
            let server = RemoteEntityRepository<Sample>(client: client, command: "x samples")
            #expect(Self.areEqual(try await Self.export(server, "csv"), file))
        }
    }

    @Test func `rows of NDJSON go into the outbox and come out in equal bytes`() async throws {
        let file = try await Self.file("ndjson")
        let (here, store) = try await offline("here", in: directory, of: Sample.self)
        let result = try await TransferCommands(repository: here)("import", "-", input: file)
        #expect(result.output == Self.done, "\(result.errors)")
        #expect(try await store.entries().count == Self.rows)
        #expect(Self.areEqual(try await Self.export(here, "ndjson"), file))
    }

    @Test func `rows go straight to the server and come out in equal bytes`() async throws {
        let file = try await Self.file("csv")
        try await withBackend(SamplesService()) { backend in
            let server = RemoteEntityRepository<Sample>(client: try backend.client(), command: "x samples")
            let result = try await TransferCommands(repository: server)("import", "-", input: file)
            #expect(result.output == Self.done, "\(result.errors)")
            for format in ["csv", "ndjson"] {
                #expect(Self.areEqual(try await Self.export(server, format), try await Self.file(format)), "\(format)")
            }
        }
    }
}
