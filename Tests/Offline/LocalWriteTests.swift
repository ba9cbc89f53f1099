import FoundationEssentials
import GRDB
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `Folding local writes` {
    private func queue(
        _ local: EntityState, _ operation: Mutation.Operation, _ fields: [String: JSONValue] = [:]
    ) throws -> [OutboxEntry] {
        try LocalWrite(operation: operation, fields: fields).planned(on: local, seq: 9, Sample.context).queue
    }

    private let agreed = Sample.base(5, ["text": "x", "mark": "1"])

    @Test func `a patch folds into a create or patch that was never sent`() throws {
        let created = Sample.state(nil, [Sample.entry("m", .create, ["text": "x"])])
        #expect(try queue(created, .patch, ["text": "y"]).map(\.mutation.fields) == [["text": "y"]])
        let patched = Sample.state(agreed, [Sample.entry("m", .patch, ["text": "y"], base: 5)])
        let folded = try queue(patched, .patch, ["mark": "2"])
        #expect(folded.map(\.mutation.fields) == [["text": "y", "mark": "2"]])
        #expect(folded.map(\.id) == ["m"])
    }

    @Test func `nothing folds into an entry that may have been sent`() throws {
        for write in [Sample.entry("m", .create, ["text": "x"], .inflight)] {
            let queue = try queue(Sample.state(nil, [write]), .patch, ["text": "y"])
            #expect(queue.first == write && queue.count == 2)
            #expect(queue.last?.mutation.clientSeq == 9)
        }
        let sent = Sample.entry("m", .patch, ["text": "y"], base: 5, .inflight)
        #expect(try queue(Sample.state(agreed, [sent]), .delete).map(\.mutation.operation) == [.patch, .delete])
    }

    @Test func `a patch folds into the unsent entry behind a sent one`() throws {
        let local = Sample.state(
            agreed,
            [
                Sample.entry("m1", .patch, ["text": "y"], base: 5, .inflight),
                Sample.entry("m2", .patch, ["text": "z"], base: 5, seq: 2),
            ])
        #expect(try queue(local, .patch, ["text": "x"]).map(\.mutation.fields) == [["text": "y"], ["text": "x"]])
    }

    @Test func `a delete drops a create that was never sent, and the edit of a row`() throws {
        #expect(try queue(Sample.state(nil, [Sample.entry("m", .create, ["text": "x"])]), .delete) == [])
        let edited = Sample.state(agreed, [Sample.entry("m", .patch, ["text": "y"], base: 5)])
        let entry = try #require(try queue(edited, .delete).first)
        #expect(entry.mutation.operation == .delete && entry.mutation.fields == [:] && entry.mutation.baseVersion == 5)
    }

    @Test func `an edit back to the base leaves nothing to send`() throws {
        let edited = Sample.state(agreed, [Sample.entry("m", .patch, ["text": "y"], base: 5)])
        #expect(try queue(edited, .patch, ["text": "x"]) == [])
    }

    @Test func `a patch that changes nothing is no write, and unchanged fields are not sent`() throws {
        #expect(try queue(Sample.state(agreed), .patch, ["text": "x", "none": .null]) == [])
        #expect(
            try queue(Sample.state(agreed), .patch, ["text": "x", "mark": .null]).map(\.mutation.fields) == [
                ["mark": .null]
            ])
    }

    @Test func `a create after a delete is a write of its own`() throws {
        let local = Sample.state(agreed, [Sample.entry("m", .delete, base: 5)])
        let queue = try queue(local, .create, ["text": "again"])
        #expect(queue.map(\.mutation.operation) == [.delete, .create])
        #expect(queue.last?.mutation.baseVersion == nil)
    }

    @Test func `a correction of a refused write is sent under a new id`() throws {
        let local = Sample.state(nil, [Sample.entry("m", .create, ["text": "bad"], .rejected)])
        let entry = try #require(try queue(local, .patch, ["text": "good"]).first)
        #expect(entry.id == "new-m" && entry.state == .pending && entry.mutation.clientSeq == 1)
        #expect(try queue(local, .delete) == [])
    }

    @Test func `creating an existing row and changing a missing one are errors`() {
        #expect(throws: DomainError.self) { try queue(Sample.state(agreed), .create, ["text": "x"]) }
        #expect(throws: DomainError.self) { try queue(Sample.state(nil), .patch, ["text": "x"]) }
        #expect(throws: DomainError.self) {
            try queue(Sample.state(agreed, [Sample.entry("m", .delete, base: 5)]), .delete)
        }
    }
}

@Suite struct `Writing locally` {
    let server = FakeSyncServer()

    @Test func `row and entry are stored together or not at all`() async throws {
        let home = try await Home(server)
        try await home.create("a", "x")
        #expect(try await home.store.entries().map(\.mutation.entityId) == ["a"])
        let error = await failure { try await home.store.create("notes", "b", ["mark": "no text"]) }
        guard case .validation(_, let fields) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fields == [FieldError(field: "text", message: "must be text")])
        #expect(try await home.store.entries().count == 1)
        #expect(try await home.notes().count == 1)
        await #expect(throws: DomainError.self) { try await home.store.create("unknown", "b", ["text": "x"]) }
    }

    @Test func `positions grow and are never used twice`() async throws {
        let home = try await Home(server)
        try await home.create("a", "x")
        try await home.delete("a")
        try await home.create("b", "x")
        #expect(try await home.store.entries().map(\.mutation.clientSeq) == [2])
        try await home.sync()
        #expect(try await home.store.entries().isEmpty)
        try await home.create("c", "x")
        #expect(try await home.store.entries().map(\.mutation.clientSeq) == [3])
        try await home.store.discard(try await home.store.entries()[0].id)
        try await home.create("d", "x")
        #expect(try await home.store.entries().map(\.mutation.clientSeq) == [4])
    }

    @Test func `a row is created only once, in any state`() async throws {
        let home = try await Home(server)
        server.put("notes", "agreed", ["text": "theirs"])
        try await home.sync()
        try await home.create("queued", "mine")
        for id in ["agreed", "queued"] {
            guard case .conflict = await failure({ try await home.create(id, "again") }) else {
                Issue.record("'\(id)' was created twice.")
                continue
            }
        }
        #expect(try await home.content() == ["agreed": ["text": "theirs"], "queued": ["text": "mine"]])
        #expect(try await home.store.entries().map(\.mutation.entityId) == ["queued"])
    }

    @Test func `a row is created again on top of its removal, sent or not`() async throws {
        let home = try await Home(server)
        for id in ["here", "there"] { server.put("notes", id, ["text": "old", "mark": "m"]) }
        try await home.sync()
        try await home.delete("there")
        try await home.sync()
        try await home.delete("here")
        for id in ["here", "there"] { try await home.create(id, "new") }
        #expect(try await home.content() == ["here": ["text": "new"], "there": ["text": "new"]])
        #expect(try await home.store.entries().map(\.mutation.operation) == [.delete, .create, .create])
        try await home.sync()
        #expect(server.live("notes") == ["here": ["text": "new"], "there": ["text": "new"]])
        #expect(try await home.content() == server.live("notes"))
    }

    @Test(arguments: [
        "INSERT INTO deferred_row (collection, entity_id, version, updated_at, data) VALUES ('notes', 'a', 7, 0, '{\"text\":\"x\"}')",
        """
        INSERT INTO conflict (id, collection, entity_id, version, updated_at, data, fields, reason, created_at)
        VALUES ('c', 'notes', 'a', 7, 0, '{"text":"theirs"}', '["text"]', 'both', 0)
        """,
    ])
    func `a row with a sent or conflicted write counts as existing`(statement: String) async throws {
        let home = try await Home(server)
        try await home.database.write { db in
            try db.execute(sql: statement)
            let key = EntityKey(collection: "notes", id: "a")
            let access = try home.database.access(db, RandomSource(), now: home.wallClock.now)
            let state = try access.fetchNew(key)
            #expect(try state == access.fetchLocal(key) && state != EntityState(key: key))
            let other = EntityKey(collection: "cards", id: "a")
            #expect(try access.fetchNew(other) == EntityState(key: other))
        }
    }

    @Test func `a row of another program in the place of a new one is replaced whole`() async throws {
        let home = try await Home(server)
        try await home.database.write {
            try $0.execute(
                sql: "INSERT INTO note (id, text, mark, version, updated_at) VALUES ('a', 'x', 'odd', 3, 0)")
        }
        try await home.create("a", "mine")
        let note = try #require(try await home.note("a"))
        #expect(note.text == "mine" && note.mark == nil && note.version == 0)
    }

    @Test(
        arguments: [
            [:], ["text": "plain"], ["b": 1, "a": .bool(true), "C": .null, "a_2": -7, "a10": "x", "": ""],
            ["text": "ünï — 🚢 漢字"], ["ü": "x", "u": "y"], ["text": "quote \" here"], ["text": "back \\ slash / slash"],
            ["text": "\u{7F} \u{1F} \n \t"], ["key \"": "x"], ["number": .number(1.5), "a": "b"],
            ["text": "\u{2028}\u{FEFF}"],
            ["tags": .array(["b", 1]), "deep": .object(["b": 1, "a": .null])],
            ["most": .integer(.max), "least": .integer(.min)],
            ["e\u{301}": 1, "\u{E9}a": 2],
        ] as [[String: JSONValue]])
    func `fields are stored as they are on the wire`(fields: [String: JSONValue]) throws {
        #expect(try FieldText.encode(fields) == String(decoding: WireJSON.encode(fields), as: UTF8.self))
        #expect(try FieldText.decode(FieldText.encode(fields)) == fields)
    }

    @Test func `a write survives the process`() async throws {
        let directory = try TemporaryDirectory()
        let first = try await Home(server, in: directory)
        try await first.create("a", "x")
        try await first.database.close()
        let second = try await Home(server, seed: 2, in: directory)
        #expect(try await second.sync() == SyncReport(pushed: 1))
    }

    @Test func `all rows of a batch are stored and queued, known ones left out, or none of them`() async throws {
        let home = try await Home(server)
        try await home.create("a", "mine")
        let rows = ["a", "b", "c", "b"].map {
            (id: $0, fields: ["text": .string("from the batch")] as [String: JSONValue])
        }
        #expect(try await home.store.createAll("notes", rows) == ["b", "c"])
        #expect(try await home.note("a")?.text == "mine")
        #expect(try await home.store.entries().map(\.mutation.entityId) == ["a", "b", "c"])
        let bad = [(id: "d", fields: ["text": "x"] as [String: JSONValue]), (id: "e", fields: [:])]
        await #expect(throws: DomainError.self) { try await home.store.createAll("notes", bad) }
        #expect(try await home.note("d") == nil)
        #expect(try await home.store.entries().count == 3)
    }

    @Test func `one row is a small write, however it is created, and a batch is not`() async throws {
        let home = try await Home(server)
        let gate = RecordingGate(base: home.database.gate)
        let database = OfflineDatabase(
            path: home.database.path, collections: Array(home.database.collections.values),
            writer: home.database.writer, gate: gate, wallClock: home.wallClock, log: Home.quiet)
        let store = OfflineStore(database: database)
        let rows = ["a", "b", "c"].map { (id: $0, fields: ["text": "x"] as [String: JSONValue]) }
        _ = try await store.createAll("notes", Array(rows.prefix(1)))
        _ = try await store.createAll("notes", Array(rows.dropFirst()))
        try await store.create("notes", "d", ["text": "x"])
        #expect(gate.kinds.withLock { $0 } == [.small, .usual, .small])
    }

    @Test func `ten thousand rows are stored in one go and sent once each`() async throws {
        let home = try await Home(server)
        let rows = (0..<10_000).map { number in
            (id: "n\(number)", fields: ["text": .string("line \(number)"), "mark": "import"] as [String: JSONValue])
        }
        let start = ContinuousClock.now
        let stored = try await home.store.createAll("notes", rows)
        print("10,000 rows stored in \(ContinuousClock.now - start)")
        #expect(stored.count == 10_000)
        #expect(try await home.store.entries().count == 10_000)
        let report = try await home.sync()
        print("and synchronised after \(ContinuousClock.now - start)")
        #expect(report == SyncReport(pushed: 10_000))
        #expect(server.live("notes").count == 10_000)
        #expect(server.with { Set($0.effects).count } == 10_000)
        #expect(server.with { $0.received.map(\.count).max() } == MutationBatch.limit)
    }

    @Test func `discarding a write also discards the writes that depend on it`() async throws {
        let home = try await Home(server)
        try await home.create("a", "one")
        home.link.onRequest { name, _ in name == "push" ? .loseAnswer : nil }
        _ = try? await home.sync()
        try await home.patch("a", ["text": "two"])
        let entries = try await home.store.entries()
        #expect(entries.count == 2)
        try await home.store.discard(entries[1].id)
        #expect(try await home.note("a")?.text == "one")
        try await home.store.discard(entries[0].id)
        #expect(try await home.note("a") == nil)
        #expect(try await home.store.entries() == [])
        home.link.healed()
        try await home.sync()
        #expect(try await home.note("a")?.text == "one", "What had arrived at the server comes back.")
    }

    @Test func `rows are returned with their sync states`() async throws {
        server.with { $0.refuse = { $0.entityId == "refused" ? SyncServerModel.problem(422, "no") : nil } }
        let home = try await Home(server)
        for id in ["synced", "refused", "conflicted"] { try await home.create(id, "x") }
        try await home.sync()
        server.put("notes", "conflicted", ["text": "theirs"])
        try await home.patch("conflicted", ["text": "mine"])
        try await home.sync()
        try await home.create("queued", "x")
        let expected: [String: SyncState] = [
            "refused": .rejected, "conflicted": .conflicted, "queued": .queued,
        ]
        let (all, some) = try await home.store.read { db in
            (
                try OfflineStore.queueStates("notes", in: db),
                try OfflineStore.queueStates("notes", ids: ["queued", "synced"], in: db)
            )
        }
        #expect(all == expected)
        #expect(some == ["queued": .queued])
    }
}

/// Notes the kind of each write.
private final class RecordingGate: DatabaseGate {
    let base: any DatabaseGate
    let kinds = Mutex<[WriteKind]>([])

    init(base: any DatabaseGate) { self.base = base }

    func read<Value: Sendable>(_ work: @Sendable (Database) throws -> Value) async throws -> Value {
        try await base.read(work)
    }

    func write<Value: Sendable>(
        _ kind: WriteKind, _ work: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        kinds.withLock { $0.append(kind) }
        return try await base.write(kind, work)
    }

    func endSnapshot() { base.endSnapshot() }

    func lease(within limit: Duration, on clock: any Clock<Duration>) async throws -> (any AnyObject & Sendable)? {
        try await base.lease(within: limit, on: clock)
    }
}
