import FoundationEssentials
import GRDB
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `Edits on both sides` {
    let server = FakeSyncServer()

    /// A home that agreed on `a` and then edited it, while the server's row changed too.
    private func diverged(
        local: [String: JSONValue]?, remote: [String: JSONValue]?
    ) async throws -> Home {
        let home = try await Home(server)
        try await home.store.create("notes", "a", ["text": "base", "mark": "base"])
        try await home.sync()
        if let local { try await home.patch("a", local) } else { try await home.delete("a") }
        if let remote { server.put("notes", "a", remote) } else { server.remove("notes", "a") }
        return home
    }

    @Test func `edits of different fields merge without a conflict`() async throws {
        let home = try await diverged(local: ["text": "mine"], remote: ["mark": "theirs"])
        #expect(try await home.sync() == SyncReport(pushed: 1, merged: 1))
        #expect(server.live("notes") == ["a": ["text": "mine", "mark": "theirs"]])
        #expect(try await home.content() == server.live("notes"))
        #expect(server.with { $0.broken } == [])
    }

    @Test func `the same edit on both sides is no conflict`() async throws {
        let home = try await diverged(local: ["text": "same"], remote: ["text": "same"])
        #expect(try await home.sync() == SyncReport())
        #expect(try await home.store.entries() == [])
        #expect(try await home.note("a")?.version == 2)
    }

    @Test func `a field edited on both sides opens a conflict that shows all three sides`() async throws {
        let home = try await diverged(local: ["text": "mine"], remote: ["text": "theirs", "mark": "new"])
        #expect(try await home.sync() == SyncReport(conflicts: 1))
        let conflict = try #require(try await home.store.conflicts().first)
        #expect(conflict.fields == ["text"])
        #expect(conflict.base == ["text": "base", "mark": "base"])
        #expect(conflict.local == ["text": "mine", "mark": "base"])
        #expect(conflict.remote == ["text": "theirs", "mark": "new"])
        #expect(conflict.reason == "Changed here and on the server: text.")
        #expect(try await home.store.entries().map(\.state) == [.conflicted])
        #expect(try await home.engine.status().conflicts == 1)
        #expect(try await home.sync() == SyncReport(), "The queue stops.")
        await #expect(throws: DomainError.self) {
            try await home.store.retry(try await home.store.entries()[0].id)
        }
    }

    @Test func `keeping the local side sends it on top of the remote row`() async throws {
        let home = try await diverged(local: ["text": "mine"], remote: ["text": "theirs", "mark": "new"])
        try await home.sync()
        try await home.store.resolve(try await home.store.conflicts()[0].id, keeping: .local)
        #expect(try await home.content() == ["a": ["text": "mine", "mark": "new"]])
        #expect(try await home.sync() == SyncReport(pushed: 1))
        #expect(server.live("notes") == ["a": ["text": "mine", "mark": "new"]])
        #expect(try await home.store.conflicts() == [])
    }

    @Test func `keeping the remote side drops the local edit`() async throws {
        let home = try await diverged(local: ["text": "mine"], remote: ["text": "theirs", "mark": "new"])
        try await home.sync()
        let id = try await home.store.conflicts()[0].id
        try await home.store.resolve(id, keeping: .remote)
        #expect(try await home.content() == server.live("notes"))
        #expect(try await home.store.entries() == [])
        #expect(try await home.sync() == SyncReport())
        await #expect(throws: DomainError.self) { try await home.store.resolve(id, keeping: .remote) }
    }

    @Test(arguments: SyncConflict.Side.allCases)
    func `an edit of a row deleted at the server is a conflict, and either side can win`(side: SyncConflict.Side)
        async throws
    {
        let home = try await diverged(local: ["text": "mine"], remote: nil)
        #expect(try await home.sync() == SyncReport(conflicts: 1))
        #expect(try await home.note("a")?.text == "mine")
        let conflict = try #require(try await home.store.conflicts().first)
        #expect(conflict.remote == nil && conflict.reason == "Edited here, deleted on the server.")
        try await home.store.resolve(conflict.id, keeping: side)
        try await home.sync()
        #expect(server.live("notes") == (side == .local ? ["a": ["text": "mine", "mark": "base"]] : [:]))
        #expect(try await home.content() == server.live("notes"))
    }

    @Test(arguments: SyncConflict.Side.allCases)
    func `a delete of a row edited at the server is a conflict, and either side can win`(side: SyncConflict.Side)
        async throws
    {
        let home = try await diverged(local: nil, remote: ["text": "theirs"])
        #expect(try await home.sync() == SyncReport(conflicts: 1))
        let conflict = try #require(try await home.store.conflicts().first)
        #expect(conflict.local == nil && conflict.reason == "Deleted here, changed on the server.")
        try await home.store.resolve(conflict.id, keeping: side)
        try await home.sync()
        #expect(server.live("notes") == (side == .remote ? ["a": ["text": "theirs", "mark": "base"]] : [:]))
        #expect(try await home.content() == server.live("notes"))
    }

    @Test func `a row deleted on both sides is no conflict`() async throws {
        let home = try await diverged(local: nil, remote: nil)
        #expect(try await home.sync() == SyncReport())
        #expect(try await home.store.entries() == [])
    }

    @Test func `an id created on both sides is a conflict only if the fields differ`()
        async throws
    {
        let home = try await Home(server)
        server.put("notes", "same", ["text": "equal"])
        server.put("notes", "other", ["text": "theirs"])
        try await home.create("same", "equal")
        try await home.create("other", "mine")
        #expect(try await home.sync() == SyncReport(conflicts: 1))
        #expect(try await home.store.conflicts().map(\.entityId) == ["other"])
        #expect(try await home.note("same")?.version == 1)
    }

    @Test func `a conflict follows the remote row, and ends when both sides agree`() async throws {
        let home = try await diverged(local: ["text": "mine"], remote: ["text": "theirs"])
        try await home.sync()
        server.put("notes", "a", ["text": "theirs again"])
        try await home.sync()
        #expect(try await home.store.conflicts().first?.remote?["text"] == "theirs again")
        #expect(try await home.store.conflicts().count == 1)
        server.put("notes", "a", ["text": "mine", "mark": "agreed"])
        try await home.sync()
        #expect(try await home.store.conflicts() == [])
        #expect(try await home.store.entries() == [])
        #expect(try await home.content() == ["a": ["text": "mine", "mark": "agreed"]])
    }

    @Test func `an edit during a conflict belongs to it`() async throws {
        let home = try await diverged(local: ["text": "mine"], remote: ["text": "theirs"])
        try await home.sync()
        try await home.patch("a", ["mark": "also mine"])
        #expect(try await home.store.entries().map(\.state) == [.conflicted])
        #expect(try await home.store.conflicts().first?.local == ["text": "mine", "mark": "also mine"])
        try await home.patch("a", ["text": "theirs"])
        #expect(try await home.store.conflicts() == [], "Giving in ends the conflict.")
        #expect(try await home.sync() == SyncReport(pushed: 1))
        #expect(server.live("notes") == ["a": ["text": "theirs", "mark": "also mine"]])
    }

    @Test func `discarding a conflicted write takes the remote row`() async throws {
        let home = try await diverged(local: ["text": "mine"], remote: ["text": "theirs"])
        try await home.sync()
        try await home.store.discard(try await home.store.entries()[0].id)
        #expect(try await home.store.conflicts() == [])
        #expect(try await home.content() == server.live("notes"))
    }

    @Test func `a write queued behind a conflicting one is not sent before it`() async throws {
        let home = try await diverged(local: ["mark": "mine"], remote: ["text": "theirs"])
        // While the first is being answered, the field that changed remotely is edited too.
        home.link.onAnswer { name in if name == "push" { try? await home.patch("a", ["text": "mine, unaware"]) } }
        try await home.sync()
        #expect(try await home.store.conflicts().map(\.fields) == [["text"]])
        #expect(server.live("notes")["a"]?["text"] == "theirs")
    }

    @Test func `a pulled change merges with a write made during the pull`() async throws {
        let home = try await Home(server)
        try await home.store.create("notes", "a", ["text": "base", "mark": "base"])
        try await home.sync()
        server.put("notes", "a", ["mark": "theirs"])
        home.link.onRequest { name, _ in name == "push" ? .refuse(.offline("x")) : nil }
        home.link.onAnswer { name in if name == "pull" { try? await home.patch("a", ["text": "mine"]) } }
        await #expect(throws: DomainError.self) { try await home.sync() }
        #expect(try await home.content() == ["a": ["text": "mine", "mark": "theirs"]])
        let entry = try #require(try await home.store.entries().first)
        #expect(entry.mutation.baseVersion == 2 && entry.mutation.fields == ["text": "mine"])
        home.link.healed()
        home.link.onAnswer { _ in }
        try await home.sync()
        #expect(server.live("notes") == ["a": ["text": "mine", "mark": "theirs"]])
    }

    @Test func `an edit that a pull rebased is sent in the same run`() async throws {
        let home = try await diverged(local: ["text": "mine"], remote: ["text": "theirs"])
        #expect(try await home.sync() == SyncReport(conflicts: 1))
        server.put("notes", "a", ["text": "base", "mark": "theirs"])
        #expect(try await home.sync() == SyncReport(pushed: 1, pulled: 1, merged: 1))
        #expect(server.live("notes") == ["a": ["text": "mine", "mark": "theirs"]])
        #expect(try await home.content() == server.live("notes"))
        #expect(try await home.database.leftover() == .nothing)
    }

    @Test func `the leftover of a run says what may be sent next`() async throws {
        let home = try await diverged(local: ["mark": "mine"], remote: nil)
        #expect(try await home.database.leftover() == .untried)
        home.link.onRequest { name, _ in name == "push" ? .refuse(.offline("x")) : nil }
        await #expect(throws: DomainError.self) { try await home.sync() }
        #expect(try await home.database.leftover() == .unanswered)
        try await home.patch("a", ["text": "later"])
        #expect(try await home.database.leftover() == .unanswered, "It waits behind the first.")
        try await home.store.create("notes", "b", ["text": "new"])
        #expect(try await home.database.leftover() == .untried)
    }

    @Test func `a row that another user edits all the time is left for the next run`() async throws {
        let home = try await diverged(local: ["text": "mine"], remote: ["mark": "0"])
        home.link.onAnswer { [server] name in
            if name == "push" { server.put("notes", "a", ["mark": .string("\(server.with { $0.seq })")]) }
        }
        try await home.sync()
        // Ten times while it pushes, and as often after each of three pulls at most.
        #expect(server.with { $0.received.count } <= 40)
        home.link.onAnswer { _ in }
        try await home.sync()
        #expect(server.live("notes")["a"]?["text"] == "mine")
    }
}

@Suite struct `Replacement rounds` {
    let server = FakeSyncServer()

    @Test func `an expired cursor starts over at once and drops what is gone`() async throws {
        let home = try await Home(server)
        for id in ["a", "b", "c"] { server.put("notes", id, ["text": "x"]) }
        try await home.sync()
        server.remove("notes", "b")
        server.put("notes", "c", ["text": "newer"])
        server.with { state in
            state.rows = state.rows.filter { $0.value.data != nil }
            state.horizon = state.seq
        }
        try await home.sync()
        #expect(try await home.content() == ["a": ["text": "x"], "c": ["text": "newer"]])
        #expect(server.with { $0.pulls.filter { $0 == nil }.count } == 2)
    }

    @Test func `a replacement round keeps unsynchronised writes of every kind`() async throws {
        let home = try await Home(server)
        for id in ["edited", "deleted", "gone"] { server.put("notes", id, ["text": "x", "mark": "y"]) }
        try await home.sync()
        home.link.onRequest { name, _ in name == "push" ? .refuse(.offline("x")) : nil }
        try await home.patch("edited", ["text": "mine"])
        try await home.delete("deleted")
        try await home.patch("gone", ["text": "mine"])
        try await home.create("new", "mine")
        server.remove("notes", "gone")
        server.with { state in
            state.rows = state.rows.filter { $0.value.data != nil }
            state.epoch = 2
        }
        await #expect(throws: DomainError.self) { try await home.sync() }
        // The pull alone, as after a push that could not be answered.
        var report = SyncReport()
        try await home.engine.pull(&report)
        #expect(try await home.content()["edited"] == ["text": "mine", "mark": "y"])
        #expect(try await home.content()["new"] == ["text": "mine"])
        #expect(try await home.content()["gone"] == ["text": "mine", "mark": "y"])
        #expect(try await home.store.conflicts().map(\.entityId) == ["gone"])
        home.link.healed()
        try await home.sync()
        #expect(server.live("notes") == ["edited": ["text": "mine", "mark": "y"], "new": ["text": "mine"]])
    }

    @Test func `rows of a server restored from a backup are taken, although their versions are older`() async throws {
        let home = try await Home(server)
        server.put("notes", "a", ["text": "old"])
        let backup = server.rows
        for text in ["1", "2", "3"] { server.put("notes", "a", ["text": .string(text)]) }
        server.put("notes", "lost", ["text": "x"])
        try await home.sync()
        server.with { state in
            state.rows = backup
            state.seq = 1
            state.epoch = 2
        }
        try await home.sync()
        #expect(try await home.content() == ["a": ["text": "old"]])
        server.put("notes", "a", ["text": "new life"])
        try await home.sync()
        #expect(try await home.content() == ["a": ["text": "new life"]])
    }

    @Test func `a server that expires every cursor is asked twice only`() async throws {
        let home = try await Home(server)
        try await home.sync()
        server.with { $0.seq = 10 }
        let client = MockAPIClient()
        client.on(PullChanges.self) { _, _ in
            throw NetworkError(.status(410, SyncServerModel.problem(410, "cursor_expired")))
        }
        let engine = SyncEngine(database: home.database, client: client, log: Home.quiet)
        await #expect(throws: DomainError.self) { try await engine.sync() }
        #expect(client.calls.count == 2)
    }

    @Test(arguments: ["garbage", "", "9/9/9", "1/99999999999999999999/0/0"])
    func `a cursor the server never wrote starts over, and refuses no write`(cursor: String) async throws {
        let home = try await Home(server)
        server.put("notes", "a", ["text": "x"])
        try await home.sync()
        try await home.create("b", "mine")
        server.put("notes", "c", ["text": "theirs"])
        try await home.database.write { try $0.execute(sql: "UPDATE cursor SET cursor = ?", arguments: [cursor]) }
        #expect(try await home.sync().rejected == 0)
        #expect(try await home.content().count == 3)
        #expect(try await home.content() == server.live("notes"))
        #expect(try await home.store.entries().isEmpty)
    }
}
