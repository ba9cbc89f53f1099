import Foundation
import GRDB
import Testing

/// The tests of kills are worth what their look into the databases is worth.
@Suite(.serialized) struct `The look into both databases` {
    @Test(arguments: [
        ("home", "DELETE FROM outbox", "is lost"),
        ("home", "DELETE FROM journal_entry WHERE text = 'queued'", "is not shown"),
        ("home", "DELETE FROM shadow", "the cursor is at"),
        ("home", "UPDATE shadow SET version = 0", "the cursor is at"),
        (
            "home",
            "INSERT INTO journal_entry SELECT 'x', host, severity, 'x', occurred_at, runbook_id, 1, 1 FROM journal_entry LIMIT 1",
            "belong to nothing"
        ),
        (
            "server",
            "INSERT INTO journal_entry SELECT 'x', host, severity, text, occurred_at, runbook_id, 9, 1 FROM journal_entry LIMIT 1",
            "twice"
        ),
        ("server", "UPDATE sync_meta SET seq = seq + 1", "versions taken"),
        ("server", "DELETE FROM sync_mutation", "versions taken"),
    ])
    func `finds a promise that was broken`(side: String, statement: String, words: String) async throws {
        let stage = try await Stage()
        try await stage.note(["--offline"])
        try await stage.sync()
        let queued = try await stage.add("queued", ["--offline"])
        #expect(try stage.problems() == [])
        stage.server.program.signal(SIGKILL)
        _ = try await stage.server.program.outcome()
        let path = side == "home" ? stage.ledger.home : stage.ledger.server
        try await DatabaseQueue(path: path).write { try $0.execute(sql: statement) }
        let problems = try stage.problems()
        #expect(problems.contains { $0.contains(words) }, "\(queued): \(problems)")
    }
}
