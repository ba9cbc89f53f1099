import FoundationEssentials
import GRDB
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataTesting
import Testing

/// A client's database of the last release, which the next one opens.
struct OfflineHistoryTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private var path: String { directory.file("home.sqlite") }

    private func open(_ collection: OfflineCollection) async throws -> OfflineStore {
        let database = try await OfflineDatabase.open(at: path, collections: [collection], log: .silent)
        return OfflineStore(database: database)
    }

    private func sync(_ store: OfflineStore, _ client: HTTPAPIClient) async throws -> SyncReport {
        try await SyncEngine(database: store.database, client: client).sync()
    }

    @Test func `unsent writes of the last release are sent under the new names, and nothing is lost`() async throws {
        try await withBackend(ParcelsService<Parcel>()) { backend in
            let client = try backend.client()
            let known = try await client.send(CreateEntity(Parcel(title: "a", location: "Kiel", kilos: 4)))
            let gone = try await client.send(CreateEntity(Parcel(title: "g", location: "Kiel")))

            // The old program, beside the new server.
            let old = try await open(OfflineEntityRepository<OldParcel>.collection)
            _ = try await sync(old, client)
            let read: Stored<OldParcel>? = try await old.entity(Identifier(known.id.rawValue))
            #expect(read?.content == OldParcel(title: "a", place: "Kiel", count: 1, weight: 4, level: 0))
            try await old.patch("parcels", known.id.rawValue, ["place": .string("Ulm"), "level": .integer(5)])
            try await old.delete("parcels", gone.id.rawValue)
            try await old.create(
                OldParcel(title: "b", place: "Bonn", rank: .urgent, kind: "TUBE", weight: 6, note: "n"),
                Identifier("p2"))
            try await old.database.close()

            let new = try await open(OfflineEntityRepository<Parcel>.collection)
            let waiting = try await new.entries().map(\.mutation)
            #expect(waiting.map(\.entityId) == [known.id.rawValue, gone.id.rawValue, "p2"])
            #expect(waiting.first?.fields == ["location": .string("Ulm")])
            #expect(
                waiting.last?.fields == [
                    "title": .string("b"), "location": .string("Bonn"), "rank": .string("high"),
                    "kind": .string("tube"),
                    "kilos": .number(6),
                ])
            let shown: [Stored<Parcel>] = try await new.entities()
            let b = Parcel(title: "b", location: "Bonn", rank: .high, kind: .tube, kilos: 6)
            #expect(Set(shown.map(\.content)) == [Parcel(title: "a", location: "Ulm", kilos: 4), b])

            let report = try await sync(new, client)
            #expect(report.rejected == 0 && report.conflicts == 0)
            #expect(try await new.entries() == [])
            let there = try await client.send(ListEntities<Parcel>()).items
            #expect(Set(there.map(\.content)) == Set(shown.map(\.content)))
            let here: [Stored<Parcel>] = try await new.entities()
            #expect(Set(here.map(\.content)) == Set(shown.map(\.content)))
        }
    }

    @Test func `the old program synchronises all its writes with the new server`() async throws {
        try await withBackend(ParcelsService<Parcel>()) { backend in
            let client = try backend.client()
            let old = try await open(OfflineEntityRepository<OldParcel>.collection)
            try await old.create(
                OldParcel(title: "a", place: "Kiel", rank: .urgent, weight: 3, level: 9, note: "n"), Identifier("p1"))
            #expect(try await sync(old, client).rejected == 0)
            try await old.patch("parcels", "p1", ["place": .string("Ulm"), "note": .null])
            let report = try await sync(old, client)
            #expect(report.rejected == 0 && report.conflicts == 0)
            let there = try await client.send(GetEntity<Parcel>(id: Identifier("p1")))
            #expect(there.content == Parcel(title: "a", location: "Ulm", rank: .high, kilos: 3))
            let shown: Stored<OldParcel>? = try await old.entity(Identifier("p1"))
            #expect(shown?.place == "Ulm" && shown?.syncState == .synced)
        }
    }

    @Test func `a write without counterpart is kept, and refused with a sentence`() async throws {
        try await withBackend(ParcelsService<Parcel>()) { backend in
            let client = try backend.client()
            let old = try await open(OfflineEntityRepository<OldParcel>.collection)
            try await old.create(OldParcel(title: "a", place: "Kiel", kind: "Sack", weight: -2), Identifier("p1"))
            try await old.database.close()

            let new = try await open(OfflineEntityRepository<Parcel>.collection)
            let shown: Stored<Parcel>? = try await new.entity(Identifier("p1"))
            #expect(shown?.kind == .other && shown?.kilos == 0.5)
            #expect(try await sync(new, client).rejected == 1)
            let entry = try #require(try await new.entries().first)
            #expect(entry.mutation.fields["kind"] == .string("Sack") && entry.mutation.fields["weight"] == .integer(-2))
            #expect(entry.error?.contains("has no value as 'kilos'") == true, "\(entry.error ?? "")")
        }
    }

    @Test func `a write that was sent and not answered keeps its bytes`() async throws {
        let old = try await open(OfflineEntityRepository<OldParcel>.collection)
        try await old.create(OldParcel(title: "a", place: "Kiel"), Identifier("p1"))
        try await old.database.close()
        let other = try DatabaseQueue(path: path)
        try await other.write { try $0.execute(sql: "UPDATE outbox SET state = 'inflight'") }
        try other.close()

        let new = try await open(OfflineEntityRepository<Parcel>.collection)
        let fields = try await new.entries().first?.mutation.fields
        #expect(fields?["place"] == .string("Kiel") && fields?["location"] == nil)
        let shown: Stored<Parcel>? = try await new.entity(Identifier("p1"))
        #expect(shown?.location == "Kiel" && shown?.kilos == 2)
        try await withBackend(ParcelsService<Parcel>()) { backend in
            #expect(try await sync(new, backend.client()).rejected == 0)
            let here: Stored<Parcel>? = try await new.entity(Identifier("p1"))
            #expect(here?.location == "Kiel" && here?.syncState == .synced)
        }
    }

    @Test func `the old program does not open what the new one has`() async throws {
        try await open(OfflineEntityRepository<Parcel>.collection).database.close()
        let error = await #expect(throws: DomainError.self) {
            try await open(OfflineEntityRepository<OldParcel>.collection)
        }
        #expect(error?.description.contains("a newer version of this program") == true)
        // The one after that does.
        let later = try await open(OfflineEntityRepository<LaterParcel>.collection)
        #expect(try await later.entries() == [])
    }
}
