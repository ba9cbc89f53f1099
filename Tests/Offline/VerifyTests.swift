import FoundationEssentials
import GRDB
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `Changes by another program` {
    let server = FakeSyncServer()

    @Test(arguments: [
        "DELETE FROM note WHERE id = 'a'",
        "UPDATE note SET text = 'altered'",
        "UPDATE note SET version = 77, mark = 'odd' WHERE id = 'b'",
        "INSERT INTO note (id, text, version, updated_at) VALUES ('stranger', 'x', 1, 0)",
        "DELETE FROM note",
    ])
    func `a row that another program changed is repaired by the next run`(statement: String) async throws {
        let home = try await Home(server)
        for id in ["a", "b", "c"] { server.put("notes", id, ["text": .string(id)]) }
        try await home.sync()
        home.link.onRequest { name, _ in name == "push" ? .refuse(.offline("x")) : nil }
        try await home.patch("c", ["text": "mine"])
        let before = try await home.notes()
        try await home.database.write { try $0.execute(sql: statement) }
        #expect(try await home.notes() != before)
        home.link.healed()
        try await home.sync()
        #expect(try await home.content() == ["a": ["text": "a"], "b": ["text": "b"], "c": ["text": "mine"]])
        #expect(server.live("notes")["c"] == ["text": "mine"])
    }

    @Test(arguments: [
        "DELETE FROM base_row WHERE entity_id = 'a'",
        "UPDATE base_row SET version = 1000 WHERE entity_id = 'a'",
        "UPDATE base_row SET version = 0, data = '{}' WHERE entity_id = 'a'",
        "INSERT INTO base_row (collection, entity_id, version, updated_at, data, round, checksum) SELECT 'notes', 'ghost', 2, 0, '{\"text\":\"x\"}', round, 0 FROM cursor",
        "DELETE FROM base_row",
        // Neither ids nor versions differ.
        "UPDATE base_row SET data = '{\"text\":\"forged\"}' WHERE entity_id = 'a'",
        "UPDATE base_row SET data = '{ \"text\": \"a\" }' WHERE entity_id = 'a'",
        "UPDATE base_row SET updated_at = 7",
        "UPDATE base_row SET checksum = 7 WHERE entity_id = 'b'",
        // No value that the engine stores.
        "UPDATE base_row SET data = 'garbage'",
        "UPDATE base_row SET data = x'FF00', version = 'one', updated_at = 'then' WHERE entity_id = 'c'",
        "UPDATE base_row SET data = '[]', round = 'x'",
    ])
    func `the digest finds a base row that another program changed`(statement: String) async throws {
        let home = try await Home(server)
        for id in ["a", "b", "c"] { server.put("notes", id, ["text": .string(id)]) }
        try await home.sync()
        try await home.database.write { try $0.execute(sql: statement) }
        #expect(try await home.engine.verify() > 0)
        #expect(try await home.content() == server.live("notes"))
        #expect(try await home.engine.verify() == 0)
        let versions = try await home.database.read { db in
            try Int.fetchAll(db, sql: "SELECT version FROM base_row ORDER BY entity_id")
        }
        #expect(versions == [1, 2, 3])
    }

    @Test(arguments: ["'{\"text\":\"forged\",\"mark\":\"old\"}'", "'garbage'", "'{}'"])
    func `a changed base row loses no unsynchronised edit`(data: String) async throws {
        let home = try await Home(server)
        for id in ["a", "b"] { server.put("notes", id, ["text": .string(id), "mark": "old"]) }
        try await home.sync()
        try await home.patch("a", ["mark": "mine"])
        try await home.database.write { try $0.execute(sql: "UPDATE base_row SET data = \(data)") }
        try await home.sync()
        let wanted: [String: [String: JSONValue]] = [
            "a": ["text": "a", "mark": "mine"], "b": ["text": "b", "mark": "old"],
        ]
        #expect(try await home.content() == wanted)
        #expect(server.live("notes") == wanted)
        #expect(try await home.store.entries().isEmpty)
    }

    // Seed 5434 of the simulation.
    @Test func `a row that is rebuilt keeps its edit`() async throws {
        let home = try await Home(server)
        server.put("notes", "a", ["text": "a", "mark": "old"])
        try await home.sync()
        try await home.patch("a", ["mark": "mine"])
        try await home.database.write { try $0.execute(sql: "DELETE FROM base_row; DELETE FROM note") }
        server.remove("notes", "a")
        try await home.sync()
        #expect(try await home.store.entries().map(\.state) == [.conflicted])
        try await home.create("a", "anew")
        try await home.sync()
        #expect(server.live("notes") == ["a": ["text": "anew", "mark": "mine"]])
        #expect(try await home.content() == server.live("notes"))
    }

    // Seed 19510 of the simulation.
    @Test func `a row with an overlapping edit is rebuilt without deleting the edit`() async throws {
        let home = try await Home(server)
        server.put("notes", "a", ["text": "theirs", "mark": "old"])
        try await home.sync()
        server.with { $0.refuse = { _ in SyncServerModel.problem(422, "too_odd") } }
        try await home.patch("a", ["text": "mine"])
        try await home.database.write { try $0.execute(sql: "DELETE FROM base_row; DELETE FROM note") }
        try await home.sync()
        server.with { $0.refuse = { _ in nil } }
        let conflict = try #require(try await home.store.conflicts().first)
        try await home.store.resolve(conflict.id, keeping: .local)
        try await home.sync()
        #expect(server.live("notes") == ["a": ["text": "mine", "mark": "old"]])
        #expect(try await home.content() == server.live("notes"))
    }

    @Test func `only an explicit comparison asks for the digest, not a run after a local write`() async throws {
        let home = try await Home(server)
        try await home.create("a", "mine")
        #expect(try await home.engine.syncIfFree()?.pushed == 1)
        #expect(home.link.digestRequests == 0)
        try await home.sync()
        #expect(home.link.digestRequests == 1)
        _ = try await home.engine.sync(.whenDue, verifying: false)
        #expect(home.link.digestRequests == 1)
    }

    @Test func `a large store is not read through in every run`() async throws {
        let home = try await Home(server)
        server.put("notes", "a", ["text": "x"])
        try await home.sync()
        let engine = SyncEngine(
            database: home.database, client: home.link, settings: .init(verifiedRows: 0), log: Home.quiet)
        try await home.database.write { try $0.execute(sql: "DELETE FROM note") }
        _ = try await engine.sync()
        #expect(try await home.notes() == [])
        #expect(try await engine.verify() == 1)
        #expect(try await home.notes().count == 1)
    }
}

@Suite struct `A server put back to a backup` {
    let server = FakeSyncServer()

    @Test func `a server restored from a backup is pulled from before anything is pushed`() async throws {
        let home = try await Home(server)
        server.put("notes", "a", ["text": "one", "mark": "one"])
        let backup = server.rows
        server.put("notes", "a", ["text": "two"])
        try await home.sync()
        try await home.patch("a", ["mark": "mine"])
        server.with { state in
            state.rows = backup
            state.seq = 1
            state.epoch = 2
        }
        #expect(try await home.sync().pushed == 1)
        #expect(server.live("notes") == ["a": ["text": "one", "mark": "mine"]])
        #expect(try await home.content() == server.live("notes"))
        let based = server.with { state in state.log.values.map { $0.mutation.baseVersion } }
        #expect(based == [1], "Nothing based on a lost version was taken in.")
    }
}

@Suite struct `A round that replaces everything` {
    @Test func `a replacement round ends the conflict of a row that is gone`() async throws {
        let server = FakeSyncServer()
        let home = try await Home(server)
        try await home.sync()
        server.put("notes", "a", ["text": "theirs"])
        try await home.create("a", "mine")
        #expect(try await home.sync().conflicts == 1)
        server.remove("notes", "a")
        server.with { state in
            state.rows = state.rows.filter { $0.value.data != nil }
            state.horizon = state.seq
        }
        try await home.sync()
        #expect(try await home.store.conflicts() == [])
        try await home.sync()
        #expect(server.live("notes") == ["a": ["text": "mine"]])
        #expect(try await home.content() == server.live("notes"))
    }
}
