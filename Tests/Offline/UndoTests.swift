import FoundationEssentials
import GRDB
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `Undoing the last write` {
    private let server = FakeSyncServer()

    private func pending(_ home: Home) async throws -> Int { try await home.engine.status().pending }

    @Test func `an add that was not sent leaves no trace`() async throws {
        let home = try await Home(server)
        try await home.create("a", "first")
        let undone = try await home.store.undo()
        #expect(undone == UndoneWrite(.create, "notes", "a", outcome: .removedFromOutbox))
        #expect(try await home.content().isEmpty)
        #expect(try await pending(home) == 0)
        await #expect(throws: DomainError.self) { try await home.store.undo() }
    }

    @Test func `only the last edit is taken back, though both wait in one entry of the outbox`() async throws {
        let home = try await Home(server)
        try await home.create("a", "first")
        try await home.patch("a", ["text": "second", "mark": "x"])
        #expect(try await home.store.undo().operation == .patch)
        #expect(try await home.content() == ["a": ["text": "first"]])
        try await home.sync()
        #expect(server.live("notes") == ["a": ["text": "first"]])
    }

    @Test func `an edit back to what the server has is not sent at all`() async throws {
        let home = try await Home(server)
        try await home.create("a", "first")
        try await home.sync()
        try await home.patch("a", ["text": "second"])
        #expect(try await home.store.undo().outcome == .removedFromOutbox)
        #expect(try await pending(home) == 0)
    }

    @Test func `of a write that was sent the inverse is sent`() async throws {
        let home = try await Home(server)
        try await home.create("a", "first")
        try await home.sync()
        try await home.patch("a", ["text": "second"])
        try await home.sync()
        #expect(try await home.store.undo() == UndoneWrite(.patch, "notes", "a", outcome: .inverseQueued))
        try await home.sync()
        #expect(server.live("notes") == ["a": ["text": "first"]])
        try await home.create("b", "other")
        try await home.sync()
        #expect(try await home.store.undo().outcome == .inverseQueued)
        try await home.sync()
        #expect(server.live("notes") == ["a": ["text": "first"]])
    }

    @Test func `the inverse of a write that was sent is sent at once, or queued while the server is away`() async throws
    {
        let home = try await Home(server)
        let settle = { @Sendable in _ = try? await home.engine.sync() }
        try await home.create("a", "first")
        try await home.sync()
        try await home.patch("a", ["text": "second"])
        try await home.sync()
        let edit = try await home.store.undo(settle: settle)
        #expect(edit == UndoneWrite(.patch, "notes", "a", outcome: .inverseSent))
        #expect(server.live("notes") == ["a": ["text": "first"]])
        try await home.delete("a")
        try await home.sync()
        let removal = try await home.store.undo(settle: settle)
        guard case .createdAgain(let id) = removal.outcome else {
            Issue.record("\(removal)")
            return
        }
        #expect(server.live("notes") == [id: ["text": "first"]])
        try await home.patch(id, ["text": "third"])
        try await home.sync()
        home.link.failing(.offline("no route"))
        #expect(try await home.store.undo(settle: settle).outcome == .inverseQueued)
        #expect(try await home.content() == [id: ["text": "first"]])
        #expect(server.live("notes") == [id: ["text": "third"]])
    }

    @Test func `an inverse that the server refuses is an error with its sentence`() async throws {
        let home = try await Home(server)
        try await home.create("a", "first")
        try await home.sync()
        server.with {
            $0.refuse = { _ in Problem(title: "Conflict", status: 409, detail: "2 shelves hold it", code: "in_use") }
        }
        let error = await #expect(throws: DomainError.self) {
            try await home.store.undo { _ = try? await home.engine.sync() }
        }
        #expect(error?.kind == .conflict)
        #expect(
            error?.description.contains("refuses to undo the creation of 'a' in notes: 2 shelves hold it. The") == true)
        #expect(try await home.store.entries().map(\.state) == [.rejected])
    }

    @Test func `a write that was not sent is taken back without the server`() async throws {
        let home = try await Home(server)
        try await home.create("a", "first")
        let undone = try await home.store.undo { Issue.record("there is nothing to send") }
        #expect(undone.outcome == .removedFromOutbox)
    }

    @Test func `a removal that was not sent, and the edit that was folded into it, are as before`() async throws {
        let home = try await Home(server)
        try await home.create("a", "first")
        try await home.sync()
        try await home.patch("a", ["text": "second"])
        try await home.delete("a")
        #expect(try await home.store.undo().outcome == .removedFromOutbox)
        #expect(try await home.content() == ["a": ["text": "second"]])
        try await home.sync()
        #expect(server.live("notes") == ["a": ["text": "second"]])
    }

    @Test func `a row that never left this machine is made again under its id`() async throws {
        let home = try await Home(server)
        try await home.create("a", "first")
        try await home.delete("a")
        #expect(try await home.store.undo().outcome == .inverseQueued)
        #expect(try await home.content() == ["a": ["text": "first"]])
    }

    @Test func `a row that the server has deleted is made again under another id`() async throws {
        let home = try await Home(server)
        try await home.create("a", "first")
        try await home.sync()
        try await home.delete("a")
        try await home.sync()
        let undone = try await home.store.undo()
        guard case .createdAgain(let id) = undone.outcome else {
            Issue.record("\(undone)")
            return
        }
        #expect(id != "a")
        try await home.sync()
        #expect(server.live("notes") == [id: ["text": "first"]])
    }

    @Test func `a row that another device changed since is left alone`() async throws {
        let (one, two) = (try await Home(server, seed: 1), try await Home(server, seed: 2))
        try await one.create("a", "first")
        try await one.sync()
        try await two.sync()
        try await two.patch("a", ["text": "theirs"])
        try await two.sync()
        try await one.sync()
        let error = await #expect(throws: DomainError.self) { try await one.store.undo() }
        #expect(error?.kind == .conflict)
        #expect(error?.description.contains("'a' in notes was changed") == true)
        #expect(try await one.content() == ["a": ["text": "theirs"]])
        #expect(try await pending(one) == 0)
    }

    @Test func `an import is refused, and not the write before it undone`() async throws {
        let home = try await Home(server)
        try await home.create("a", "first")
        _ = try await home.store.createAll(
            "notes", [(id: "b", fields: ["text": "second"]), (id: "c", fields: ["text": "third"])])
        let error = await #expect(throws: DomainError.self) { try await home.store.undo() }
        #expect(error?.description.contains("import of 2 rows") == true)
        #expect(try await home.content().count == 3)
    }

    @Test func `a patch that changes nothing is not the last write`() async throws {
        let home = try await Home(server)
        try await home.create("a", "first")
        try await home.patch("a", ["text": "first"])
        #expect(try await home.store.undo().operation == .create)
    }
}
