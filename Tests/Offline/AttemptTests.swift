import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `An attempt after a write` {
    let server = FakeSyncServer()

    @Test func `an attempt sends the write and asks for no digest`() async throws {
        let home = try await Home(server)
        try await home.create("a", "x")
        #expect(await home.engine.attempt(after: 0) == nil)
        #expect(server.live("notes")["a"] == ["text": "x"])
        #expect(home.link.digestRequests == 0)
    }

    @Test func `an attempt sends nothing behind a full request of other entries`() async throws {
        let home = try await Home(server)
        let rows = (0..<MutationBatch.limit).map { (id: "r\($0)", fields: ["text": "x"] as [String: JSONValue]) }
        _ = try await home.store.createAll("notes", rows)
        let position = try await home.database.lastQueued()
        try await home.create("a", "x")
        #expect(await home.engine.attempt(after: position) == .backlog(MutationBatch.limit))
        #expect(server.live("notes").isEmpty)
    }

    @Test func `an attempt leaves the write queued during another run`() async throws {
        let home = try await Home(server)
        try await home.create("a", "x")
        let lease = try await home.engine.lock()
        let engine = SyncEngine(
            database: home.database, client: home.link, settings: .init(lockWait: .zero), log: Home.quiet)
        #expect(await engine.attempt(after: 0) == .anotherRun)
        withExtendedLifetime(lease) {}
        #expect(try await home.database.syncStatus().pending == 1)
    }

    @Test func `an attempt reports an entry that the server has not accepted`() async throws {
        let home = try await Home(server)
        for id in ["a", "b"] { try await home.create(id, "x") }
        server.with { $0.refuse = { $0.entityId == "a" ? Problem(title: "Not now", status: 503) : nil } }
        #expect(await home.engine.attempt(after: 0) == .notTaken)
        #expect(try await home.database.syncStatus().pending == 1)
    }

    @Test func `an attempt fails with the error of the network`() async throws {
        let home = try await Home(server)
        try await home.create("a", "x")
        home.link.failing(.offline("no route"))
        guard case .failed(.unavailable) = await home.engine.attempt(after: 0) else {
            Issue.record("expected .failed")
            return
        }
    }

    @Test func `an attempt ends when its time is over`() async throws {
        let home = try await Home(server)
        try await home.create("a", "x")
        home.link.onAnswer { _ in
            // Until the attempt is cancelled.
            try? await ManualClock().sleep(for: .seconds(1))
        }
        async let attempt = home.engine.attempt(after: 0)
        await home.clock.waitForSleeper(dueIn: .milliseconds(1500))
        home.clock.advance(by: .milliseconds(1500))
        #expect(await attempt == .slow)
        #expect(try await home.database.syncStatus().pending == 1)
    }

    /// As a new home does with a server that has 10,000 rows.
    @Test func `a write is sent although the pull behind it takes longer than the attempt`() async throws {
        let home = try await Home(server)
        try await home.create("a", "x")
        let pulls = Gate()
        home.link.onAnswer { name in
            guard name == "pull" else { return }
            pulls.open()
            // Until the attempt is cancelled.
            try? await ManualClock().sleep(for: .seconds(1))
        }
        async let attempt = home.engine.attempt(after: 0)
        try await pulls.wait()
        await home.clock.waitForSleeper(dueIn: .milliseconds(1500))
        home.clock.advance(by: .milliseconds(1500))
        #expect(await attempt == nil)
        #expect(try await home.database.syncStatus().pending == 0 && server.live("notes")["a"] == ["text": "x"])
    }

    @Test func `a write is sent although the pull behind it fails`() async throws {
        let home = try await Home(server)
        try await home.create("a", "x")
        home.link.onRequest { name, _ in name == "pull" ? .refuse(.offline("no route")) : nil }
        #expect(await home.engine.attempt(after: 0) == nil)
        #expect(try await home.database.syncStatus().pending == 0 && server.live("notes")["a"] == ["text": "x"])
    }
}
