import FoundationEssentials
import StrataConcurrency
public import StrataService

extension PostgresStore {
    /// A migration takes the lock of migrations (`WriteOpening`), so replicas that start at once run it once. It waits for others as
    /// long as it takes.
    ///
    /// - Throws: `StoreError.failed` for a database that a newer program migrated, or that lacks a table, index or column of
    ///   its migrations.
    public func migrate(_ migrations: [StoreMigration]) async throws {
        let applied = try await maintain { transaction in
            try transaction.execute(
                """
                CREATE TABLE IF NOT EXISTS schema_migration (
                    name TEXT COLLATE "C" NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)
                """)
            return Set(try transaction.rows("SELECT name FROM schema_migration").map { try $0.text("name") })
        }
        try migrations.requireKnown(applied, in: "\(self)")
        for migration in migrations where !applied.contains(migration.name) {
            try await maintain { transaction in
                // It may wait for long reads.
                try transaction.execute("SET LOCAL lock_timeout = 0")
                let name = migration.name
                // Another replica may have applied it.
                guard try transaction.row("SELECT name FROM schema_migration WHERE name = \(name)") == nil else {
                    return
                }
                try ChangeVersions.beforeMigration(in: transaction)
                for statement in migration.statements {
                    try transaction.execute(Statement(stringLiteral: BytewiseSchema.statement(statement)))
                }
                try transaction.execute("INSERT INTO schema_migration (name, applied_at) VALUES (\(name), \(Date()))")
            }
        }
        try await maintain { try ChangeVersions.prepare(in: $0) }
        try await requireComplete(after: migrations)
        isMigrated.withLock { $0 = true }
    }

    /// Runs `body` alone among all replicas that migrate.
    private func maintain<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await write(within: nil, { waits, _ in WriteOpening.migration(waits) }, body)
    }

    /// - Throws: `StoreError.failed` naming what is missing, a table before its columns.
    private func requireComplete(after migrations: [StoreMigration]) async throws {
        let statements = migrations.flatMap(\.statements).map(BytewiseSchema.statement)
        let missing = try await running { connection in
            try connection.begin([])
            try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE")
            defer { connection.rollBack() }
            let present = try SchemaPart.parts(in: "current_schema()::regnamespace", on: connection)
            // The model is made of temporary tables, which the rollback removes.
            try connection.run("SET LOCAL search_path = pg_temp")
            try connection.run(statements.joined(separator: ";\n"))
            return try SchemaPart.parts(in: "pg_my_temp_schema()", on: connection).subtracting(present).min()
        }
        guard let missing else { return }
        throw StoreError.failed(
            "The database '\(self)' lacks \(missing.words), which its migrations created: it was edited or is damaged. "
                + "Restore a backup.")
    }
}
