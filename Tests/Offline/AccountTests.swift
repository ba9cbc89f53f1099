import GRDB
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `The account of a database` {
    let server = FakeSyncServer()
    let ada = OfflineAccount(id: "01a2", name: "ada")
    let bob = OfflineAccount(id: "01b3", name: "bob")

    @Test func `the first account that claims it has it, and keeps it`() async throws {
        let home = try await Home(server)
        #expect(try await home.database.owner() == nil)
        #expect(try await home.database.claim(for: ada) == nil)
        #expect(try await home.database.claim(for: ada) == nil)
        #expect(try await home.database.owner() == ada)
    }

    @Test func `the owner has the newest name of its account`() async throws {
        let home = try await Home(server)
        try await home.database.write { try $0.execute(sql: "INSERT INTO meta VALUES ('account', '01a2')") }
        #expect(try await home.database.owner() == OfflineAccount(id: "01a2", name: "01a2"))
        #expect(try await home.database.claim(for: ada) == nil)
        #expect(try await home.database.owner() == ada)
    }

    @Test func `unsent writes of another account are refused by its name, and stay`() async throws {
        let home = try await Home(server)
        try await home.database.claim(for: ada)
        try await home.create("a", "x")
        guard case .forbidden(let text) = await failure({ try await home.database.claim(for: bob) }) else {
            Issue.record("expected .forbidden")
            return
        }
        #expect(text.contains("'ada'") && text.contains("1 write that is not sent yet"))
        #expect(text.contains("another profile"))
        #expect(!text.contains("01a2"))
        #expect(try await home.database.owner() == ada)
        #expect(try await home.notes().map(\.id) == ["a"])
        try await home.sync()
        #expect(server.rows.count == 1)
    }

    @Test func `a claim removes the synchronised rows of another account`() async throws {
        let home = try await Home(server)
        try await home.database.claim(for: ada)
        try await home.create("a", "x")
        try await home.sync()
        let before = try await home.database.read { try String.fetchOne($0, sql: "SELECT client_id FROM client") }
        #expect(try await home.database.claim(for: bob) == ada)
        #expect(try await home.database.owner() == bob)
        #expect(try await home.notes().isEmpty)
        #expect(try await home.database.syncStatus().lastSyncedAt == nil)
        #expect(try await home.database.read { try String.fetchOne($0, sql: "SELECT client_id FROM client") } != before)
        try await home.create("b", "y")
        try await home.sync()
        #expect(try await home.notes().map(\.id) == ["a", "b"], "It fetches what bob may see.")
    }

    @Test func `a process of the previous account writes nothing for the new one`() async throws {
        let directory = try TemporaryDirectory()
        let (old, new) = (try await Home(server, in: directory), try await Home(server, seed: 2, in: directory))
        try await old.database.claim(for: ada)
        try await new.database.claim(for: bob)
        guard case .forbidden = await failure({ try await old.create("a", "of ada") }) else {
            Issue.record("expected .forbidden")
            return
        }
        #expect(try await new.store.entries().isEmpty)
    }

    @Test func `a process of the previous account sends nothing of the new one`() async throws {
        let directory = try TemporaryDirectory()
        let (old, new) = (try await Home(server, in: directory), try await Home(server, seed: 2, in: directory))
        try await old.database.claim(for: ada)
        try await new.database.claim(for: bob)
        try await new.create("b", "of bob")
        guard case .forbidden = await failure({ try await old.sync() }) else {
            Issue.record("expected .forbidden")
            return
        }
        #expect(server.live("notes").isEmpty)
        #expect(try await new.store.entries().count == 1)
    }
}
