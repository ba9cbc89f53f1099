import ArgumentParser
import FoundationEssentials
import StrataFeatureTesting
import StrataOffline
import StrataService
import StrataTerminal
import StrataTesting
import Testing

@testable import StrataDomain

/// Fields with members of their own.
struct NestedValueTests {
    struct Depot: Entity {
        static let noun = "depot"
        static let collection = "depots"
        static let fields: [EntityField<Depot>] = [
            .init("name", \.name, .line(1...40)),
            .init(
                "address", \.address,
                FieldRule(flaw: Address(street: "", floorCount: 1, gates: [])) { field, address, check in
                    if address.street.isEmpty { check.refuse(field, "must have a street") }
                }),
            .init("opening", \.opening),
        ]

        struct Address: NestedValue {
            struct Gate: Codable, Sendable, Hashable { var label: String }
            var street: String
            var city: String?
            var floorCount: Int
            var gates: [Gate]
            static func fieldSample(_ number: Int) -> Address {
                Address(street: "\(number) Main \"Street\"", floorCount: number, gates: [Gate(label: "é,\n")])
            }
        }

        struct Opening: NestedValue {
            enum Day: String, Codable, CaseIterable { case mon, tue }
            var from: Date
            var day: Day
            static func fieldSample(_ number: Int) -> Opening { Opening(from: .fieldSample(number), day: .tue) }
        }

        var name: String
        var address: Address
        var opening: Opening?
    }

    struct DepotsService: FeatureService {
        private let table = EntityTable<Depot>()
        var migrations: [StoreMigration] { table.migrations }
        var syncedCollections: [any SyncedCollection] { [table] }
        func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
    }

    private typealias Add = EntityAddCommand<FieldsView<Depot>>

    @Test func `an entity with nested values keeps the contract`() async throws {
        #expect(try await EntityContract<Depot>(DepotsService()).failures() == [])
    }

    @Test(arguments: [
        (
            RecordFormat.csv,
            "name,address,opening\r\nA,\"{\"\"street\"\":\"\"a\"\",\"\"floor_count\"\":1,\"\"gates\"\":[]}\",\r\n"
        ),
        (.ndjson, #"{"name":"A","address":{"street":"a","floor_count":1,"gates":[]},"opening":null}"# + "\n"),
    ])
    func `an import takes a row without an optional one, as an export writes it`(format: RecordFormat, text: String)
        throws
    {
        var reader = ImportReader<Depot>(format, NewEntityContext(now: Date(timeIntervalSince1970: 0), host: nil))
        var items = try reader.items(in: Data(text.utf8))
        items += try reader.finish()
        let fields = items.compactMap { if case .row(let row) = $0 { row.fields } else { nil } }
        #expect(fields.map { $0["opening"] } == [.null], "\(items)")
    }

    @Test(arguments: [
        (#"{"floor_count":1,"gates":[]}"#, "address.street"),
        (#"{"street":7,"floor_count":1,"gates":[]}"#, "address.street"),
        (#"{"street":"a","floor_count":1,"gates":[{"label":"b"},{}]}"#, "address.gates.1.label"),
        (#""Main Street""#, "address"), ("[]", "address"), ("null", "address"),
        (#"{"street":"","floor_count":1,"gates":[]}"#, "address"),
        (#"{"street":"\#(String(repeating: "x", count: 70_000))","floor_count":1,"gates":[]}"#, "address"),
    ])
    func `what is no such value is refused with the path of the member`(json: String, field: String) async throws {
        let value = try WireJSON.decode(JSONValue.self, from: Data(json.utf8))
        try await withBackend(DepotsService()) { backend in
            let client = try backend.client()
            let sample = try Depot.sample()
            let depot = try await client.send(CreateEntity(sample))
            var fields = try sample.wireFields()
            fields["address"] = value
            let patch = PatchEntity<Depot>(id: depot.id, ifMatch: depot.entityTag, ["address": value])
            let mutation = Mutation(
                id: "m-1", clientSeq: 1, collection: "depots", entityId: depot.id.rawValue, operation: .patch,
                baseVersion: depot.version, fields: ["address": value], at: depot.updatedAt)
            let pushed = try await client.send(
                PushMutations(batch: MutationBatch(clientId: "c", mutations: [mutation]))
            ).results.first?.error
            for refusal in [
                await problem { try await client.send(CreateEntity<Depot>(fields: fields)) },
                await problem { try await client.send(patch) },
            ] {
                #expect(
                    refusal?.status == 422 && refusal?.errors?.map(\.field) == [field], "\(String(describing: refusal))"
                )
            }
            #expect(pushed?.status == 422)
            #expect(pushed?.errors?.first.map { [field, "fields.\(field)"].contains($0.field) } == true)
            #expect(try await client.send(GetEntity(id: depot.id)) == depot)
        }
    }

    @Test func `the offline store and CSV have the same value`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try await withBackend(DepotsService()) { backend in
            let client = try backend.client()
            let depots = [try Depot.sample(), try .sample(2), try .sample(3, onlyRequired: true)]
            for depot in depots { _ = try await client.send(CreateEntity(depot)) }
            let database = try await OfflineDatabase.open(
                at: directory.file("ada.sqlite"), collections: [OfflineEntityRepository<Depot>.collection], log: .silent
            )
            let engine = SyncEngine(database: database, client: client)
            let offline = OfflineEntityRepository<Depot>(OfflineStore(database: database), command: "x depots") {
                () throws(DomainError) in _ = try await engine.sync()
            }
            let list = try await offline.list(.refresh).value.map(\.content)
            #expect(Set(list) == Set(depots))
            for field in Depot.fields {
                for depot in depots {
                    let value: JSONValue = field.value(depot)
                    let cell = field.cell(value)
                    #expect(cell.flatMap(field.value(ofCell:)) ?? .null == value, "\(cell ?? "")")
                }
            }
        }
    }

    @Test func `a command takes and shows JSON`() async throws {
        let memory = MemoryEntityRepository<Depot>()
        let (console, output, _) = Console.inMemory(width: 200)
        let address = #"{"street":"Main","floor_count":2,"gates":[],"later":true}"#
        try await Add.parse(["--name", "North", "--address", address]).run(EntityUseCases(memory), console)
        #expect(memory.current.items.map(\.address) == [Depot.Address(street: "Main", floorCount: 2, gates: [])])
        for wrong in ["Main", "{}", #"{"street":"Main","floor_count":"two","gates":[]}"#] {
            let error = #expect(throws: (any Error).self) { try Add.parse(["--name", "North", "--address", wrong]) }
            #expect(error.map { Add.exitCode(for: $0).rawValue } == 64)
        }
        try await EntityListCommand<FieldsView<Depot>>.parse([]).run(EntityUseCases(memory), console)
        #expect(output.text.contains(#"{"floor_count":2,"gates":[],"street":"Main"}"#))
    }

    @Test func `the document has the members in their places`() {
        let schema = Depot.changesSchema.properties["address"]
        #expect(schema?.required == ["floor_count", "gates", "street"])
        #expect(schema?.properties["gates"]?.keywords["items"]?.object?["properties"] != nil)
        let day = Depot.changesSchema.properties["opening"]?.properties["day"]
        #expect(day?.keywords["enum"] == .array(["mon", "tue"]))
    }
}
