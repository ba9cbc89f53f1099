import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

/// A replica of an older program beside the migration of a newer one.
@Suite struct OlderReplicaTests {
    private let old = StoreMigration(
        "tides-1", "CREATE TABLE tide (id TEXT NOT NULL PRIMARY KEY, level BIGINT NOT NULL)")
    /// What a migration may do: add columns that may be left out, tables and indexes.
    private let new = [
        StoreMigration(
            "tides-2", "ALTER TABLE tide ADD COLUMN depth BIGINT NOT NULL DEFAULT -1",
            "ALTER TABLE tide ADD COLUMN remark TEXT"),
        StoreMigration(
            "tides-3", "CREATE TABLE port (id TEXT NOT NULL PRIMARY KEY)",
            "CREATE INDEX tide_by_level ON tide (level, id)"),
    ]

    @Test(arguments: StoreEngine.all)
    func `a running replica works on after a newer one migrated, and is refused at its next start`(
        _ engine: StoreEngine
    ) async throws {
        try await withTemporaryDirectory { directory in
            let running = try await engine.open("\(directory)/data.db", isShared: true)
            try await running.migrate([old])
            // Its statements are prepared before the migration.
            for level in 1...3 { try await insert(level, running) }
            #expect(try await levels(running) == [1, 2, 3])

            let newer = try await engine.open("\(directory)/data.db", isShared: true)
            try await newer.migrate([old] + new)

            for level in 4...6 { try await insert(level, running) }
            #expect(try await levels(running) == [1, 2, 3, 4, 5, 6])
            #expect(try await levels(newer) == [1, 2, 3, 4, 5, 6])
            let depths = try await newer.read { try $0.rows("SELECT depth FROM tide").map { try $0.int("depth") } }
            #expect(depths == [-1, -1, -1, -1, -1, -1])

            let started = try await engine.open("\(directory)/data.db", isShared: true)
            await #expect {
                try await started.migrate([old])
            } throws: { error in
                guard case StoreError.failed(let message) = error else { return false }
                return message.contains("'tides-2', which this program does not know: a newer program")
            }
            for store in [running, newer, started] { try await StoreEngine.close(store) }
        }
    }

    private func insert(_ level: Int, _ store: any Store) async throws {
        try await store.write { transaction in
            let row = try transaction.row(
                "INSERT INTO tide (id, level) VALUES (\("t\(level)"), \(level)) RETURNING id, level")
            #expect(try row?.int("level") == level)
        }
    }

    private func levels(_ store: any Store) async throws -> [Int] {
        try await store.read { try $0.rows("SELECT * FROM tide ORDER BY id").map { try $0.int("level") } }
    }
}
