import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

/// A replica of the last release beside one of the next, and what the server does to stored rows.
struct RollingUpdateTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    /// The next release starts while the last one runs.
    private func withBoth(
        _ body: @escaping @Sendable (_ old: InProcessBackend, _ new: InProcessBackend) async throws -> Void
    ) async throws {
        let path = directory.file("parcels.db")
        let first = try await StoreEngine.chosen.open(path, isShared: true)
        try await withBackend([ParcelsService<OldParcel>()], on: first) { old in
            let second = try await StoreEngine.chosen.open(path, isShared: true)
            try await withBackend([ParcelsService<Parcel>()], on: second) { new in try await body(old, new) }
        }
    }

    @Test func `each replica reads what the other one wrote`() async throws {
        try await withBoth { old, new in
            let (before, after) = (try old.client(), try new.client())
            let a = try await before.send(CreateEntity(OldParcel(title: "a", place: "Kiel", kind: "Tube", weight: 4)))
            let b = try await after.send(CreateEntity(Parcel(title: "b", location: "Bonn", kind: .tube, kilos: 2.5)))

            let seen = try await after.send(GetEntity<Parcel>(id: Identifier(a.id.rawValue)))
            #expect(seen.content == Parcel(title: "a", location: "Kiel", kind: .tube, kilos: 4))
            let read = try await before.send(GetEntity<OldParcel>(id: Identifier(b.id.rawValue)))
            #expect(
                read.content == OldParcel(title: "b", place: "Bonn", kind: "tube", count: 1, weight: 3, level: 0))

            // The value of a replica that does not know the new column counts, and one that it left alone keeps its fraction.
            let moved = try await before.send(
                PatchEntity<OldParcel>(id: read.id, ifMatch: read.entityTag, ["place": .string("Ulm")]))
            #expect(try await after.send(GetEntity<Parcel>(id: b.id)).kilos == 2.5)
            _ = try await before.send(
                PatchEntity<OldParcel>(id: read.id, ifMatch: moved.entityTag, ["weight": .integer(9)]))
            let last = try await after.send(GetEntity<Parcel>(id: b.id))
            #expect(last.kilos == 9 && last.location == "Ulm")
            // A write that is not about it keeps it.
            let renamed = try await after.send(
                PatchEntity<Parcel>(id: b.id, ifMatch: last.entityTag, ["title": .string("c")]))
            #expect(renamed.kilos == 9)
        }
    }

    @Test func `rows are converted once, through the change log, and told where they cannot be`() async throws {
        try await withBoth { old, new in
            let (before, after) = (try old.client(), try new.client())
            let urgent = try await before.send(CreateEntity(OldParcel(title: "a", place: "Kiel", rank: .urgent)))
            let sack = try await before.send(
                CreateEntity(OldParcel(title: "b", place: "Bonn", kind: "Sack", weight: -1)))
            let high = EntityQuery<Parcel>(filters: ["rank": .string("high")])
            #expect(try await after.send(ListEntities(high)).items.isEmpty)

            try await new.workOnRows()
            let found = try await after.send(ListEntities(high)).items
            #expect(found.map(\.id.rawValue) == [urgent.id.rawValue])
            #expect(found.allSatisfy { $0.version > urgent.version })
            let page = try await after.send(PullChanges(collections: "parcels"))
            let change = try #require(page.changes.first { $0.id == urgent.id.rawValue })
            #expect(change.version == found.first?.version && change.data?["rank"] == .string("high"))
            #expect(change.data?["place"] == .string("Kiel") && change.data?["location"] == .string("Kiel"))

            try await new.workOnRows()
            #expect(try await after.send(ListEntities(high)).items.map(\.version) == found.map(\.version))

            // The row is told, and keeps what it has, also after a write to another field.
            let told = try await new.store.read { try $0.rows("SELECT entity_id, reason FROM row_work_refusal") }
            #expect(try told.map { try $0.text("entity_id") } == [sack.id.rawValue])
            #expect(try told.map { try $0.text("reason") }.first?.contains("kilos, kind cannot be converted") == true)
            let id = Identifier<Parcel>(sack.id.rawValue)
            let shown = try await after.send(GetEntity(id: id))
            #expect(shown.kind == .other && shown.kilos == 0.5 && shown.count == 1)
            let renamed = try await after.send(PatchEntity(id: id, ifMatch: shown.entityTag, ["title": .string("c")]))
            func stored() async throws -> [String] {
                let rows = try await new.store.read { reader in
                    try reader.rows("SELECT kind, weight FROM parcels WHERE id = \(id.rawValue)")
                }
                return try rows.map { row in try row.text("kind") + " " + String(row.int("weight")) }
            }
            #expect(try await stored() == ["Sack -1"])
            _ = try await after.send(
                PatchEntity(id: id, ifMatch: renamed.entityTag, ["kind": .string("box"), "kilos": .number(1)]))
            #expect(try await stored() == ["box 1"])
            try await new.workOnRows()
            #expect(try await new.store.read { try $0.rows("SELECT entity_id FROM row_work_refusal").count } == 0)
        }
    }

    @Test func `a row that an old replica writes later is converted, too`() async throws {
        try await withBoth { old, new in
            try await new.workOnRows()
            let later = try await old.client().send(CreateEntity(OldParcel(title: "a", place: "Kiel", rank: .urgent)))
            try await new.workOnRows()
            let high = EntityQuery<Parcel>(filters: ["rank": .string("high")])
            #expect(try await new.client().send(ListEntities(high)).items.map(\.id.rawValue) == [later.id.rawValue])
        }
    }
}
