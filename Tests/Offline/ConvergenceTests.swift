import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// Two stores on real files and one server, under a random, repeatable interleaving of writes, syncs, lost answers, crashes and expired
/// cursors. Whatever happens, both end where the server is, nothing is lost and nothing happens twice.
@Suite(.serialized) struct `Any interleaving` {
    @Test(arguments: 0..<40)
    func `all stores converge, and no write is lost or applied twice`(seed: Int) async throws {
        var run = try await Run(seed: UInt64(seed))
        for _ in 0..<60 { try await run.step() }
        try await run.settle()
        try await run.check()
    }

    @Test(arguments: [3, 17, 99])
    func `the same seed gives the same result`(seed: Int) async throws {
        var ends: [[String: [String: JSONValue]]] = []
        for _ in 0..<2 {
            var run = try await Run(seed: UInt64(seed))
            for _ in 0..<60 { try await run.step() }
            try await run.settle()
            ends.append(run.server.live("notes"))
        }
        #expect(ends[0] == ends[1])
    }
}

private struct Run {
    let server = FakeSyncServer()
    var homes: [Home] = []
    var random: SeededRandom
    /// Every text ever written, and the row it was written into.
    var written: [String: String] = [:]
    /// Texts that were overwritten, deleted or discarded on purpose by a user who saw them.
    var count = 0
    var trace: [String] = []

    init(seed: UInt64) async throws {
        random = SeededRandom(seed: seed)
        homes = [
            try await Home(server, seed: seed &* 2 &+ 1, pageSize: 3, batchSize: 2),
            try await Home(server, seed: seed &* 2 &+ 2, pageSize: 3, batchSize: 2),
        ]
    }

    mutating func step() async throws {
        let index = Int.random(in: 0..<homes.count, using: &random)
        let home = homes[index]
        let notes = try await home.notes()
        let note = notes.randomElement(using: &random)
        count += 1
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<4:
            // Ids collide at times, within a store and between stores.
            let id = "n\(Int.random(in: 0..<12, using: &random))"
            trace.append("\(index) create \(id)")
            if note?.id != id, try await home.note(id) == nil { try await home.create(id, "t\(count)") }
        case 4..<7:
            guard let note else { return }
            let field = Bool.random(using: &random) ? "text" : "mark"
            trace.append("\(index) patch \(note.id) \(field)")
            try await home.patch(note.id, [field: .string("t\(count)")])
        case 7:
            guard let note else { return }
            trace.append("\(index) delete \(note.id)")
            try await home.delete(note.id)
        case 8:
            guard let conflict = try await home.store.conflicts().randomElement(using: &random) else { return }
            let side: SyncConflict.Side = Bool.random(using: &random) ? .local : .remote
            trace.append("\(index) resolve \(conflict.entityId) \(side)")
            try await home.store.resolve(conflict.id, keeping: side)
        case 9:
            server.with { $0.horizon = $0.seq }
            trace.append("expire")
        default: try await sync(home, index)
        }
        try await checkRows(home)
    }

    /// A run whose requests fail at random, before or after they reach the server; at times writes happen meanwhile.
    private mutating func sync(_ home: Home, _ index: Int) async throws {
        let plan = (0..<12).map { _ in Int.random(in: 0..<8, using: &random) }
        let seen = CallCounter()
        home.link.onRequest { _, _ in
            switch plan[seen.increment() - 1 % plan.count] {
            case 0: .loseAnswer
            case 1: .refuse(.offline("cut"))
            case 2: Bool(plan[0] % 2 == 0) ? .refuse(.server(503, nil)) : .refuse(.server(500, nil))
            default: nil
            }
        }
        let meanwhile = Int.random(in: 0..<4, using: &random) == 0
        let text = "m\(count)"
        home.link.onAnswer { _ in
            guard meanwhile, let note = try? await home.notes().first else { return }
            try? await home.patch(note.id, ["mark": .string(text)])
        }
        trace.append("\(index) sync \(plan)")
        _ = try? await home.engine.sync()
        home.link.healed()
        home.link.onAnswer { _ in }
    }

    /// Without faults and with every conflict resolved, a few rounds must bring everybody together.
    mutating func settle() async throws {
        for round in 0..<6 {
            for home in homes {
                try await home.sync()
                for conflict in try await home.store.conflicts() {
                    try await home.store.resolve(conflict.id, keeping: round % 2 == 0 ? .local : .remote)
                }
                try await home.sync()
            }
        }
    }

    func check() async throws {
        let expected = server.live("notes")
        for home in homes {
            #expect(try await home.content() == expected, "\(trace)")
            #expect(try await home.store.entries() == [], "\(trace)")
            #expect(try await home.store.conflicts() == [])
            try await checkRows(home)
        }
        let (effects, broken) = server.with { ($0.effects, $0.broken) }
        #expect(Set(effects).count == effects.count, "Something happened twice: \(trace)")
        #expect(broken == [], "\(trace)")
    }

    /// The row people see is always the agreed one with the queue on top.
    private func checkRows(_ home: Home) async throws {
        let derived = try await home.database.read { db in
            let tables = EntityTables(db: db)
            var rows: [String: [String: JSONValue]] = [:]
            for number in 0..<12 {
                let key = EntityKey(collection: "notes", id: "n\(number)")
                rows[key.id] = try tables.state(key).row
            }
            return rows
        }
        #expect(try await home.content() == derived, "\(trace)")
    }
}
