import GRDB
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `A large outbox` {
    let server = FakeSyncServer()

    private func create(_ count: Int, in home: Home) async throws {
        _ = try await home.store.createAll(
            "notes", (0..<count).map { (id: "n\($0)", fields: ["text": .string("line \($0)")]) })
    }

    @Test func `the outbox is read in pages, in order and whole`() async throws {
        let home = try await Home(server)
        try await create(2_500, in: home)
        var (entries, position) = ([OutboxEntry](), 0)
        while case let page = try await home.store.entries(after: position, limit: 400), let last = page.last {
            #expect(page.count <= 400)
            entries += page
            position = last.mutation.clientSeq
        }
        #expect(entries.map(\.mutation.clientSeq) == Array(1...2_500))
        #expect(try await home.store.entries() == entries)
    }

    @Test func `queued entries are counted up to a limit and a position`() async throws {
        let home = try await Home(server)
        #expect(try await home.database.lastQueued() == 0)
        try await create(300, in: home)
        #expect(try await home.database.lastQueued() == 300)
        #expect(try await home.database.queuedCount(through: .max, limit: 100) == 100)
        #expect(try await home.database.queuedCount(through: 40, limit: 100) == 40)
    }

    @Test func `pending entries are counted apart from conflicted and rejected ones`() async throws {
        server.with { $0.refuse = { $0.entityId == "refused" ? SyncServerModel.problem(422, "no") : nil } }
        let home = try await Home(server)
        for id in ["refused", "conflicted"] { try await home.create(id, "x") }
        try await home.sync()
        server.put("notes", "conflicted", ["text": "theirs"])
        try await home.patch("conflicted", ["text": "mine"])
        try await home.sync()
        try await home.create("queued", "x")
        let status = try await home.database.syncStatus()
        #expect([status.pending, status.rejected, status.conflicts] == [1, 1, 1])
    }

    @Test func `a pull keeps the queued edits of the rows that it brings`() async throws {
        let (home, other) = (try await Home(server), try await Home(server, seed: 2))
        for id in ["a", "b"] { try await other.create(id, "theirs") }
        try await other.sync()
        try await home.sync()
        try await home.patch("a", ["mark": "mine"])
        try await other.patch("a", ["text": "newer"])
        try await other.patch("b", ["text": "newer"])
        try await other.sync()
        try await home.sync()
        #expect(try await home.content() == ["a": ["text": "newer", "mark": "mine"], "b": ["text": "newer"]])
    }
}
