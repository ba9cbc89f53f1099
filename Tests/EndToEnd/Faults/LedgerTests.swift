import Foundation
import GRDB
import Testing

/// The tests of kills are worth what their look into the databases is worth.
@Suite(.serialized) struct `The look into both databases` {
    private static let copied = "host, severity, text, occurred_at, runbook_id"
    private static let inserted = "(id, \(copied), version, updated_at)"
    private static let broken = [
        ("home", "DELETE FROM outbox", "is lost"),
        ("home", "DELETE FROM journal_entries WHERE text = 'queued'", "is not shown"),
        ("home", "DELETE FROM base_row", "the cursor is at"),
        ("home", "UPDATE base_row SET version = 0", "the cursor is at"),
        (
            "home",
            "INSERT INTO journal_entries \(inserted) SELECT 'x', \(copied), 1, 1 FROM journal_entries LIMIT 1",
            "to nothing"
        ),
        (
            "server",
            "INSERT INTO journal_entries \(inserted) SELECT 'x', \(copied), 9, 1 FROM journal_entries LIMIT 1",
            "twice"
        ),
        ("server", "UPDATE sync_meta SET seq = seq + 1", "versions taken"),
        ("server", "DELETE FROM sync_mutation", "versions taken"),
        // As a server whose writers run side by side leaves it.
        ("server", "UPDATE sync_meta SET base = 1; DELETE FROM sync_mutation", "no mutation gave"),
        (
            "server",
            """
            UPDATE sync_meta SET base = 1;
            INSERT INTO sync_mutation (owner, id, payload_hash, result, at)
                SELECT owner, id || 'x', payload_hash, result, at FROM sync_mutation
                WHERE json_extract(result, '$.status') = 'applied' LIMIT 1
            """,
            "belong to two"
        ),
    ]

    @Test func `the ledger finds every broken promise`() async throws {
        let stage = try await Stage()
        try await stage.note(["--offline"])
        try await stage.sync()
        _ = try await stage.add("queued", ["--offline"])
        stage.server.program.signal(SIGKILL)
        _ = try await stage.server.program.outcome()
        let ledger = stage.ledger
        for path in [ledger.home, ledger.server] {
            // One file each, to be copied.
            try await DatabaseQueue(path: path).writeWithoutTransaction { db in
                _ = try Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            try FileManager.default.copyItem(atPath: path, toPath: path + ".kept")
        }
        let problems = try stage.problems()
        #expect(problems == [])

        for (side, statement, words) in Self.broken {
            let path = side == "home" ? ledger.home : ledger.server
            try await DatabaseQueue(path: path).write { try $0.execute(sql: statement) }
            let problems = try stage.problems()
            #expect(problems.contains { $0.contains(words) }, "\(statement): \(problems)")
            for file in [path, path + "-wal", path + "-shm"] { try? FileManager.default.removeItem(atPath: file) }
            try FileManager.default.copyItem(atPath: path + ".kept", toPath: path)
        }
    }
}
