import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTerminal
import StrataTesting
import Testing

/// Values that the server computes and sends.
struct ComputedValueTests {
    struct Lease: Entity {
        static let noun = "lease"
        static let collection = "leases"
        static let fields: [EntityField<Lease>] = [
            .init("title", \.title, .line(1...40)).sortable, .init("starts_at", \.startsAt), .init("ends_at", \.endsAt),
        ]
        static let computedFields: [ComputedField<Lease>] = [
            .init("label") { "lease of \($0.title)" },
            .init(sent: "hours_open") { lease in
                lease.endsAt.map { $0.timeIntervalSince(lease.startsAt) / 3600 }
            },
            .init(sent: "a_title") { $0.title.uppercased() },
        ]

        var title: String
        var startsAt: Date
        var endsAt: Date?
    }

    struct LeasesService: FeatureService {
        private let table = EntityTable<Lease>()
        var migrations: [StoreMigration] { table.migrations }
        var syncedCollections: [any SyncedCollection] { [table] }
        func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
    }

    private struct GetJSON: ManualEndpoint {
        typealias Response = JSONValue
        let method = HTTPMethod.get
        let path: String
    }

    private static let long = Lease(title: "Hut", startsAt: .noon, endsAt: .noon.addingTimeInterval(5400))
    private static let open = Lease(title: "Barn", startsAt: .noon, endsAt: nil)

    @Test func `an entity with computed values keeps the contract`() async throws {
        let failures = try await EntityContract<Lease>(LeasesService()).failures()
        #expect(failures == [])
    }

    @Test func `each response has the value, and leaves out a missing one`() async throws {
        try await withBackend(LeasesService()) { backend in
            let client = try backend.client()
            let lease = try await client.send(CreateEntity(Self.long))
            _ = try await client.send(CreateEntity(Self.open))
            let one = try await client.send(GetJSON(path: "/v1/leases/\(lease.id)")).object
            #expect(one?["hours_open"] == .number(1.5) && one?["a_title"] == .string("HUT") && one?["label"] == nil)
            guard
                case .array(var items)? = try await client.send(GetJSON(path: "/v1/leases")).object?["items"]
            else {
                Issue.record("The list has no items.")
                return
            }
            items.sort { ($0.object?["title"]?.string ?? "") < ($1.object?["title"]?.string ?? "") }
            #expect(items.map { $0.object?["a_title"] } == [.string("BARN"), .string("HUT")])
            #expect(items.map { $0.object?["hours_open"] } == [nil, .number(1.5)])
            // What the server writes from rows and what an encoder writes are equal.
            #expect(try one == JSONValue(encoding: lease).object)
            #expect(try await client.send(GetEntity(id: lease.id)) == lease)
        }
    }

    @Test func `no write sets it, and it follows from each one`() async throws {
        try await withBackend(LeasesService()) { backend in
            let client = try backend.client()
            var fields = try Self.long.wireFields()
            fields["hours_open"] = .integer(99)
            let lease = try await client.send(CreateEntity<Lease>(fields: fields))
            func hours() async throws -> JSONValue? {
                try await client.send(GetJSON(path: "/v1/leases/\(lease.id)")).object?["hours_open"]
            }
            #expect(try await hours() == .number(1.5))
            let only = await problem {
                try await client.send(
                    PatchEntity<Lease>(id: lease.id, ifMatch: lease.entityTag, ["hours_open": .integer(99)]))
            }
            #expect(only?.status == 422)
            let end = Date.noon.addingTimeInterval(7200).fieldValue
            let second = try await client.send(
                PatchEntity<Lease>(
                    id: lease.id, ifMatch: lease.entityTag, ["ends_at": end, "hours_open": .integer(99)]))
            #expect(try await hours() == .number(2))
            let mutation = Mutation(
                id: "m-1", clientSeq: 1, collection: "leases", entityId: lease.id.rawValue, operation: .patch,
                baseVersion: second.version, fields: ["hours_open": .integer(99)], at: second.updatedAt)
            let pushed = try await client.send(
                PushMutations(batch: MutationBatch(clientId: "c", mutations: [mutation]))
            ).results.first?.error
            #expect(pushed?.code == SyncCode.unknownField)
            #expect(try await hours() == .number(2))
        }
    }

    @Test func `commands show it, export it on request and import without it`() async throws {
        let memory = MemoryEntityRepository<Lease>([
            Stored(id: Lease.ID("l-1"), Self.long, version: 1, updatedAt: .noon)
        ])
        let entities = EntityUseCases<Lease>(memory)
        let (console, output, _) = Console.inMemory(width: 200)
        try await EntityListCommand<FieldsView<Lease>>.parse([]).run(entities, console)
        #expect(output.text.contains("HOURS OPEN") && output.text.contains("1.5") && output.text.contains("LABEL"))
        let (export, csv, _) = Console.inMemory()
        try await EntityExportCommand<FieldsView<Lease>>.parse(["--columns", "id,title,starts_at,hours-open"])
            .run(entities, export)
        #expect(csv.text == "id,title,starts_at,hours_open\r\nl-1,Hut,2026-11-21T12:00:00.000Z,1.5\r\n")
        let (importing, done, _) = Console.inMemory(input: MemoryInput(csv.text.replacing("Hut,", with: "Shed,")))
        try await EntityImportCommand<FieldsView<Lease>>.parse(["-"]).run(entities, importing)
        #expect(done.text.contains("1 updated") && memory.current.items.map(\.title) == ["Shed"])
    }

    @Test func `the document has it where it is sent, and read only`() {
        let recorder = SchemaRecorder()
        _ = recorder.schema(of: Stored<Lease>.self)
        let sent = recorder.components["Lease"]
        #expect(sent?.properties["hours_open"]?.keywords["readOnly"] == true)
        #expect(sent?.properties["hours_open"]?.keywords["type"] == "number")
        #expect(sent?.required.contains("hours_open") == false && recorder.faults.isEmpty)
        #expect(Lease.changesSchema.properties["hours_open"] == nil)
    }
}
