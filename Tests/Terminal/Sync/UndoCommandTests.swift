import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTerminal

@Suite struct `The command undo` {
    private struct Undo: WriteUndo {
        let outcome: UndoneWrite.Outcome
        func undo() async throws(DomainError) -> UndoneWrite { UndoneWrite(.delete, "notes", "n1", outcome: outcome) }
    }

    private func run(_ outcome: UndoneWrite.Outcome, json: Bool = false) async throws -> String {
        let (console, output, _) = Console.inMemory(json: json)
        var tools = SyncTools(sync: FakeSync(), outbox: FakeOutbox(), conflicts: FakeConflicts())
        tools.undo = Undo(outcome: outcome)
        try await UndoCommand.parse([]).run(tools, console)
        return output.text
    }

    @Test(arguments: [
        (UndoneWrite.Outcome.removedFromOutbox, "the write was not sent"),
        (.inverseQueued, "that is queued for the server"), (.inverseSent, "the server has that"),
        (.createdAgain(id: "n2"), "as n2, a new entry, because the server had deleted it"),
    ])
    func `the answer names the row and the write, and says what the server gets`(
        outcome: UndoneWrite.Outcome, text: String
    ) async throws {
        #expect(try await run(outcome).hasPrefix("n1  the deletion in notes is undone: it is here again"))
        #expect(try await run(outcome).contains(text))
        #expect(try await run(outcome, json: true).contains(#""was_sent":\#(outcome != .removedFromOutbox)"#))
    }

    @Test func `without a record there is nothing to undo`() async throws {
        let (console, _, _) = Console.inMemory()
        let tools = SyncTools(sync: FakeSync(), outbox: FakeOutbox(), conflicts: FakeConflicts())
        let error = await #expect(throws: DomainError.self) { try await UndoCommand.parse([]).run(tools, console) }
        #expect(error?.kind == .notFound)
    }
}
