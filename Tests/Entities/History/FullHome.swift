import FoundationEssentials
import GRDB
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataService
import StrataTesting
import Testing

/// A home of the last release with some hundred unsent writes of all kinds, and what has to become of each.
struct FullHome: Sendable {
    /// The crates that the server has when all was sent, by id.
    private(set) var crates: [String: Crate] = [:]
    /// Where the server has to refuse a write, and a word of its sentence.
    private(set) var refusals: [String: String] = [:]
    /// Crates that both sides changed.
    private(set) var conflicts: [String] = []
    /// The ids of the rows with an entry in the outbox.
    private(set) var written: Set<String> = []

    static let features: [any FeatureService] = [ParcelsService<Crate>(), ParcelsService<Depot>()]
    static let oldCollections = [
        OfflineEntityRepository<OldCrate>.collection, OfflineEntityRepository<Depot>.collection,
    ]
    static let newCollections = [
        OfflineEntityRepository<Crate>.collection, OfflineEntityRepository<Depot>.collection,
    ]

    static func open(_ path: String, _ collections: [OfflineCollection]) async throws -> OfflineStore {
        OfflineStore(database: try await OfflineDatabase.open(at: path, collections: collections, log: .silent))
    }

    /// Fills the home at `path`, which a program of the last release then closes. The server has the next release.
    init(at path: String, _ client: HTTPAPIClient) async throws {
        var known: [Stored<Crate>] = []
        for number in 0..<160 {
            let crate = Crate(title: "known \(number)", location: "Kiel", serial: "s-\(number)", count: 5, kilos: 3)
            known.append(try await client.send(CreateEntity(crate)))
            crates[known[number].id.rawValue] = crate
        }
        let depot = try await client.send(CreateEntity(Depot(name: "here"))).id
        let store = try await Self.open(path, Self.oldCollections)
        let engine = SyncEngine(database: store.database, client: client)
        _ = try await engine.sync()
        try await disagree(about: known.prefix(4), store, engine, client)
        let later = Depot.ID("later")
        try await store.create(Depot(name: "unsent"), later)
        try await edit(known[4..<114].map(\.id.rawValue), depots: [depot, later], store)
        for id in known[114..<154].map(\.id.rawValue) {
            try await store.delete("crates", id)
            crates[id] = nil
            written.insert(id)
        }
        for (id, name, value) in [(known[156].id, "kind", JSONValue.string("Sack")), (known[157].id, "weight", -3)] {
            try await store.patch("crates", id.rawValue, [name: value])
            refusals[id.rawValue] = name == "kind" ? "kind" : "kilos"
            written.insert(id.rawValue)
        }
        try await create(taken: "s-155", depots: [depot, later], store)
        try await store.database.close()
        // Some were sent, and not answered.
        let file = try DatabaseQueue(path: path)
        try await file.write {
            try $0.execute(
                sql: "UPDATE outbox SET state = 'inflight' WHERE state = 'pending' AND client_seq % 13 = 0")
        }
        try file.close()
    }

    /// The home and the server change the same field.
    private mutating func disagree(
        about known: ArraySlice<Stored<Crate>>, _ store: OfflineStore, _ engine: SyncEngine, _ client: HTTPAPIClient
    ) async throws {
        for crate in known {
            try await store.patch("crates", crate.id.rawValue, ["place": .string("Ulm")])
            _ = try await client.send(
                PatchEntity<Crate>(id: crate.id, ifMatch: crate.entityTag, ["location": .string("Bonn")]))
            crates[crate.id.rawValue]?.location = "Bonn"
            conflicts.append(crate.id.rawValue)
            written.insert(crate.id.rawValue)
        }
        #expect(try await engine.sync().conflicts == known.count)
    }

    /// Each field in turn; the first crates twice.
    private mutating func edit(_ ids: [String], depots: [Depot.ID], _ store: OfflineStore) async throws {
        let edits: [(name: String, value: @Sendable (Int) -> JSONValue, effect: @Sendable (inout Crate, Int) -> Void)] =
            [
                ("place", { .string("Graz \($0)") }, { $0.location = "Graz \($1)" }),
                ("label", { .string("l-\($0)") }, { $0.serial = "l-\($1)" }),
                ("rank", { _ in .string("urgent") }, { crate, _ in crate.rank = .high }),
                ("kind", { _ in .string("TUBE") }, { crate, _ in crate.kind = .tube }),
                ("count", { _ in .null }, { crate, _ in crate.count = 1 }),
                ("weight", { .integer($0) }, { $0.kilos = Double($1) }),
                ("title", { .string("title \($0)") }, { $0.title = "title \($1)" }),
                // No longer there: values that would violate the constraints of their columns, too.
                ("level", { _ in 9 }, { _, _ in }), ("note", { _ in .string("n") }, { _, _ in }),
                ("code", { _ in .string("same") }, { _, _ in }),
                ("depot_id", { .string(depots[$0 % 2].rawValue) }, { _, _ in }),
            ]
        for (number, id) in ids.enumerated() {
            for edit in [edits[number % edits.count], edits[(number + 3) % edits.count]].prefix(number < 33 ? 2 : 1) {
                try await store.patch("crates", id, [edit.name: edit.value(number)])
                if var crate = crates[id] {
                    edit.effect(&crate, number)
                    crates[id] = crate
                }
            }
            written.insert(id)
        }
    }

    /// New crates: some are edited, some deleted again, and some cannot be accepted.
    private mutating func create(taken: String, depots: [Depot.ID], _ store: OfflineStore) async throws {
        for number in 0..<120 {
            let id = "new-\(number)"
            var old = OldCrate(title: "new \(number)", place: "Rom \(number)", label: "n-\(number)")
            old.rank = [.low, .high, .urgent][number % 3]
            old.kind = ["box", "TUBE", "Other"][number % 3]
            (old.count, old.weight, old.level) = (number % 2 == 0 ? nil : number, number, number % 9)
            (old.note, old.code, old.depotId) = (number % 4 == 0 ? "n" : nil, "same", depots[number % 2])
            switch number % 20 {
            case 7: (old.kind, refusals[id]) = ("Sack", "kind")
            case 13: (old.weight, refusals[id]) = (-2, "kilos")
            case 17: (old.label, refusals[id]) = (taken, "serial")
            default: break
            }
            try await store.create(old, Identifier(id))
            if number % 20 == 5 {
                try await store.delete("crates", id)
                continue
            }
            written.insert(id)
            if number % 5 == 1 { try await store.patch("crates", id, ["place": .string("Oslo"), "level": 1]) }
            guard refusals[id] == nil else { continue }
            crates[id] = Crate(
                title: old.title, location: number % 5 == 1 ? "Oslo" : old.place, serial: old.label,
                rank: number % 3 == 0 ? .low : .high, kind: [.box, .tube, .other][number % 3], count: old.count ?? 1,
                kilos: Double(number))
        }
    }
}
