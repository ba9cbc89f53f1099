import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService
import StrataTesting
import Testing

/// A released entity whose fields change, on the server.
struct EntityHistoryTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    /// The rows that `parcels` have after the last release, and then the next one.
    private func withUpgrade(
        _ parcels: [OldParcel],
        _ body: @escaping @Sendable (_ old: [Stored<OldParcel>], InProcessBackend) async throws -> Void
    ) async throws {
        let path = directory.file("parcels.db")
        let old = try await withBackend(ParcelsService<OldParcel>(), at: path) { backend in
            let client = try backend.client()
            var old: [Stored<OldParcel>] = []
            for parcel in parcels { old.append(try await client.send(CreateEntity(parcel))) }
            return old
        }
        try await withBackend(ParcelsService<Parcel>(), at: path) { backend in try await body(old, backend) }
    }

    @Test func `the declarations keep the contract of an entity`() async throws {
        #expect(try await EntityContract<Parcel>(ParcelsService<Parcel>()).failures() == [])
        #expect(try await EntityContract<LaterParcel>(ParcelsService<LaterParcel>()).failures() == [])
    }

    @Test func `values that come from a field which is not declared are reported`() async throws {
        let failures = try await EntityContract<Homeless>(ParcelsService<Homeless>()).failures()
        #expect(failures.first == "'kilos' comes from 'weight', which must be among the removed fields.")
    }

    private struct Homeless: Entity {
        static let noun = "parcel"
        static let collection = "parcels"
        static let fields: [EntityField<Homeless>] = [
            .init("title", \.title, .line(1...40)),
            .init("kilos", \.kilos).since(2).retyped(from: "weight", otherwise: 0.0) { (old: Int) in
                Double(old)
            } back: {
                Int($0)
            },
        ]
        var title: String
        var kilos: Double?
    }

    @Test func `the migrations of a release stay, and later ones add columns`() {
        let (old, new) = (EntityTable<OldParcel>().migrations, EntityTable<Parcel>().migrations)
        #expect(Set(new.map(\.name)) == Set(old.map(\.name)).union(["parcels-2"]))
        #expect(Set(EntityTable<LaterParcel>().migrations.map(\.name)) == Set(new.map(\.name)))
        #expect(
            new.first { $0.name == "parcels-2" }?.statements == [
                "ALTER TABLE parcels ADD COLUMN kilos DOUBLE PRECISION"
            ])
        for index in old where index.name.contains("index") {
            #expect(new.first { $0.name == index.name }?.statements == index.statements, "\(index.name)")
        }
    }

    @Test func `rows of the last release are read in the form of the next`() async throws {
        let rows = [
            OldParcel(title: "a", place: "Kiel", rank: .urgent, kind: "TUBE", weight: 4),
            OldParcel(title: "b", place: "Bonn", kind: "Sack", count: 3, weight: -1, note: "old"),
        ]
        try await withUpgrade(rows) { old, backend in
            let client = try backend.client()
            let a = try await client.send(GetEntity<Parcel>(id: Identifier(old[0].id.rawValue)))
            #expect(a.content == Parcel(title: "a", location: "Kiel", rank: .high, kind: .tube, count: 1, kilos: 4))
            // The second one is sent with a weight that is not that of its kilos.
            let listed = try await client.send(ListEntities(EntityQuery<Parcel>(sort: .init("location")))).items
            #expect(
                listed.map(\.content) == [
                    Parcel(title: "b", location: "Bonn", kind: .other, count: 3, kilos: 0.5), a.content,
                ])
        }
    }

    @Test func `a client of the last release reads and writes beside the new server`() async throws {
        try await withUpgrade([OldParcel(title: "a", place: "Kiel", weight: 4, level: 3, note: "old")]) {
            old, backend in
            let client = try backend.client()
            let listed = try await client.send(ListEntities<OldParcel>()).items
            #expect(listed.map(\.content) == [OldParcel(title: "a", place: "Kiel", count: 1, weight: 4, level: 3)])

            // Of what it sends, the removed fields have no effect.
            let new = OldParcel(title: "b", place: "Bonn", rank: .urgent, kind: "box", weight: 6, level: 9, note: "n")
            let created = try await client.send(CreateEntity(new))
            #expect(created.content == OldParcel(title: "b", place: "Bonn", rank: .high, count: 1, weight: 6, level: 0))
            let id = Identifier<Parcel>(created.id.rawValue)
            #expect(
                try await client.send(GetEntity(id: id)).content
                    == Parcel(
                        title: "b", location: "Bonn", rank: .high, kilos: 6))

            let moved = try await client.send(
                PatchEntity<OldParcel>(
                    id: created.id, ifMatch: created.entityTag, ["place": .string("Ulm"), "count": .null]))
            #expect(moved.place == "Ulm" && moved.count == 1)
            let replaced = try await client.send(
                UpdateEntity(
                    id: moved.id, ifMatch: moved.entityTag, to: OldParcel(title: "c", place: "Graz", weight: 8)))
            #expect(replaced.place == "Graz")
            #expect(try await client.send(GetEntity(id: id)).content == Parcel(title: "c", location: "Graz", kilos: 8))

            let query = EntityQuery<OldParcel>(filters: ["place": .string("Graz")], sort: .init("-place"))
            #expect(try await client.send(ListEntities(query)).items.map(\.title) == ["c"])
            let urgent = EntityQuery<OldParcel>(filters: ["rank": .string("urgent")])
            #expect(try await client.send(ListEntities(urgent)).items.isEmpty)
        }
    }

    @Test func `two values of one field are refused with its name, and a value without counterpart, too`() async throws
    {
        try await withUpgrade([OldParcel(title: "a", place: "Kiel")]) { old, backend in
            let client = try backend.client()
            func refusal(_ changes: [String: JSONValue]) async -> Problem? {
                await problem {
                    try await client.send(
                        PatchEntity<OldParcel>(id: old[0].id, ifMatch: old[0].entityTag, changes))
                }
            }
            let both = await refusal(["place": .string("Ulm"), "location": .string("Bonn")])
            #expect(both?.status == 422 && both?.errors?.map(\.field) == ["place"])
            let weight = await refusal(["weight": .integer(-3)])
            #expect(weight?.status == 422 && weight?.errors?.map(\.field) == ["weight"])
            let rank = await refusal(["rank": .string("never")])
            #expect(rank?.status == 422)
            #expect(await refusal(["level": .integer(5)]) == nil)
            #expect(await refusal(["place": .string("Ulm"), "location": .string("Ulm")]) == nil)
        }
    }

    @Test func `the version after that knows the former names no longer`() async throws {
        let path = directory.file("later.db")
        let old = try await withBackend(ParcelsService<OldParcel>(), at: path) { backend in
            try await backend.client().send(CreateEntity(OldParcel(title: "a", place: "Kiel", level: 3)))
        }
        _ = try await withBackend(ParcelsService<Parcel>(), at: path) { backend in
            try await backend.client().send(ListEntities<Parcel>())
        }
        try await withBackend(ParcelsService<LaterParcel>(), at: path) { backend in
            let client = try backend.client()
            let item = try await client.send(RawParcel(id: old.id.rawValue))
            #expect(item.names == ["id", "location", "title", "updated_at", "version"])
            let call = PatchEntity<OldParcel>(id: old.id, ifMatch: old.entityTag, ["place": .string("Ulm")])
            let refusal = await problem { try await client.send(call) }
            #expect(refusal?.errors == [FieldError(field: "place", message: "is unknown")])
            _ = try await client.send(CreateEntity(LaterParcel(title: "b", location: "Bonn")))
        }
    }

    /// The names of a row as they are on the wire.
    private struct RawParcel: ManualEndpoint {
        struct Response: Decodable, Sendable {
            let names: [String]
            init(from decoder: any Decoder) throws {
                names = try decoder.singleValueContainer().decode([String: JSONValue].self).keys.sorted()
            }
        }
        let id: String
        var method: HTTPMethod { .get }
        var path: String { "/v1/parcels/\(id)" }
    }
}
