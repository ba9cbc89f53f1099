import GRDB
import Logging
import StrataDomain
import StrataSystem

extension OfflineDatabase {
    /// The engine's tables in the database of an app.
    ///
    /// - Throws: `.storage` when a table of the app has the name of one of the engine's, or the file cannot be written.
    static func adopt(
        _ pool: DatabasePool, collections: [OfflineCollection], wallClock: any WallClock, log: Logger
    ) async throws(DomainError) -> OfflineDatabase {
        try await runBlocking { () throws(DomainError) in
            do {
                try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
                try migrate(pool, collections, isShared: true, path: pool.path)
                let lock = "\(pool.path).sync-lock"
                let database = OfflineDatabase(
                    path: pool.path, collections: collections, writer: pool,
                    gate: PoolGate(pool: pool, lockPath: lock, runsHere: false), wallClock: wallClock, log: log)
                try database.rebuildMigrated(pool)
                return database
            } catch {
                throw DomainError(database: error, at: pool.path)
            }
        }
    }

    /// - Throws: `.storage` when a table of the app stands where one of the engine's must be.
    static func refuseForeignTables(_ db: Database, path: String) throws {
        if try DatabaseMigrator().appliedIdentifiers(db).contains("offline/1") { return }
        guard let name = try EngineSchema.tableNames.first(where: { try db.tableExists($0) }) else { return }
        throw DomainError.storage(
            "The database '\(path)' has a table '\(name)' already, and the offline engine needs one of that name. Rename it, or "
                + "give the offline store a file of its own.")
    }
}
