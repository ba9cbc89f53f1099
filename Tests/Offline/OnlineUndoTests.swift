import FoundationEssentials
import GRDB
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `Undoing the last write, here or at the server` {
    private static let place = "https://a.test"
    private let edit = OnlineWrite(
        .patch, Stored(id: Identifier("c1"), Chore(text: "new"), version: 4, updatedAt: .noon),
        before: Chore(text: "old"))

    /// - Returns: What was undone, and what `takeBack` got.
    private func undo(
        _ store: OfflineStore, as account: String? = "ada", at server: String = place, failing: DomainError? = nil
    ) async throws(DomainError) -> (undone: UndoneWrite, sent: OnlineWrite?) {
        let sent = Shared<OnlineWrite?>(nil)
        let undone = try await store.undo(server: server, account: account) { write throws(DomainError) in
            if let failing { throw failing }
            sent.change { $0 = write }
            return UndoneWrite(write.operation, write.collection, write.entityId, outcome: .inverseSent)
        }
        return (undone, sent.value)
    }

    private func home() async throws -> Home { try await Home(FakeSyncServer()) }

    private func refusal(
        _ store: OfflineStore, as account: String? = "ada", at server: String = place
    ) async throws -> DomainError? {
        do throws(DomainError) { _ = try await undo(store, as: account, at: server) } catch { return error }
        return nil
    }

    @Test func `a write at the server is taken back there, once, and the earlier one here stays`() async throws {
        let home = try await home()
        try await home.create("a", "first")
        var edit = edit
        edit.before?["due_at"] = "today"
        try await home.database.note(edit, server: Self.place, account: "ada")
        let (undone, sent) = try await undo(home.store)
        #expect(undone.outcome == .inverseSent && undone.entityId == "c1")
        #expect(sent == edit && sent?.before == ["text": "old", "due_at": "today"])
        #expect(try await refusal(home.store)?.kind == .notFound)
        #expect(try await home.content() == ["a": ["text": "first"]])
    }

    @Test func `a later write here is the last one`() async throws {
        let home = try await home()
        try await home.database.note(edit, server: Self.place, account: "ada")
        try await home.create("a", "first")
        let (undone, sent) = try await undo(home.store)
        #expect(undone.operation == .create && sent == nil)
        #expect(try await home.content().isEmpty)
    }

    @Test func `a refused inverse leaves the write the last one, unless there is a later one`() async throws {
        let home = try await home()
        try await home.database.note(edit, server: Self.place, account: "ada")
        for _ in 0..<2 {
            await #expect(throws: DomainError.unavailable("no connection")) {
                try await undo(home.store, failing: .unavailable("no connection"))
            }
        }
        await #expect(throws: DomainError.self) {
            try await home.store.undo(server: Self.place, account: "ada") { _ throws(DomainError) in
                try await home.store.create("notes", "a", ["text": "meanwhile"])
                throw .unavailable("no connection")
            }
        }
        #expect(try await undo(home.store).undone.entityId == "a")
    }

    @Test func `of two processes that undo at once, one sends the inverse`() async throws {
        let directory = try TemporaryDirectory()
        let server = FakeSyncServer()
        let (one, two) = (
            try await Home(server, in: directory), try await Home(server, seed: 2, in: directory)
        )
        try await one.database.note(edit, server: Self.place, account: "ada")
        _ = try await one.store.undo(server: Self.place, account: "ada") { write throws(DomainError) in
            await #expect(throws: DomainError.self) { try await undo(two.store) }
            return UndoneWrite(write.operation, write.collection, write.entityId, outcome: .inverseSent)
        }
    }

    @Test func `another account, another server and a program without the inverse are refused by a sentence`()
        async throws
    {
        let home = try await home()
        try await home.create("a", "first")
        try await home.database.note(edit, server: Self.place, account: "ada")
        for error in [
            try await refusal(home.store, as: "bob"), try await refusal(home.store, as: nil),
            try await refusal(home.store, at: "https://b.test"),
        ] {
            #expect(
                error?.description.contains("the edit of 'c1' in chores, with another login at https://a.test") == true)
        }
        let error = await #expect(throws: DomainError.self) { try await home.store.undo() }
        #expect(error?.description.contains("the edit of 'c1' in chores, straight at the server") == true)
        #expect(try await home.content().count == 1)
        #expect(try await undo(home.store).sent == edit)
    }

    @Test func `a logout removes the values that were replaced, and that it was the last write stays known`()
        async throws
    {
        let home = try await home()
        try await home.create("a", "first")
        try await home.database.note(edit, server: Self.place, account: "ada")
        try await home.database.forgetOnlineWrite(unlessOf: "ada", at: Self.place)
        #expect(try await record(home).contains("old"))
        try await home.database.forgetOnlineWrite(unlessOf: nil, at: Self.place)
        #expect(try await !record(home).contains("old"))
        #expect(try await refusal(home.store)?.description.contains("the edit of 'c1' in chores") == true)
        #expect(try await home.content().count == 1)
    }

    @Test func `an account that takes the store over can still undo its own write at the server`() async throws {
        let home = try await home()
        try await home.database.claim(for: OfflineAccount(id: "bob", name: "bob"))
        try await home.database.note(edit, server: Self.place, account: "ada")
        try await home.database.claim(for: OfflineAccount(id: "ada", name: "ada"))
        #expect(try await undo(home.store).sent == edit)
    }

    @Test func `an import, here or at the server, is refused, and not the write before it undone`() async throws {
        let home = try await home()
        try await home.create("a", "first")
        try await home.database.note(OnlineWrite(importOf: 7, into: "chores"), server: Self.place, account: "ada")
        #expect(try await refusal(home.store)?.description.contains("an import of 7 rows into chores") == true)
        #expect(try await refusal(home.store) != nil)
        #expect(try await home.content().count == 1)
    }

    private func record(_ home: Home) async throws -> String {
        try await home.database.read {
            try String.fetchOne($0, sql: "SELECT value FROM meta WHERE key = 'last-write'") ?? ""
        }
    }
}
