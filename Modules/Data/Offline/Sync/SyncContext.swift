import FoundationEssentials
import GRDB
import Logging
import StrataDomain

/// The database, the clocks and the settings of a run: what the engine and its remote side share.
struct SyncContext: Sendable {
    let database: OfflineDatabase
    let settings: SyncEngine.Settings
    let clock: any Clock<Duration>
    let wallClock: any WallClock
    let random: RandomSource
    let log: Logger
    let onProgress: @Sendable (SyncProgress) -> Void
}

/// A part of the engine. It works in the context of a run.
protocol SyncPart: Sendable {
    var context: SyncContext { get }
}

extension SyncPart {
    var database: OfflineDatabase { context.database }
    var settings: SyncEngine.Settings { context.settings }
    var clock: any Clock<Duration> { context.clock }
    var wallClock: any WallClock { context.wallClock }
    var random: RandomSource { context.random }
    var log: Logger { context.log }
    var onProgress: @Sendable (SyncProgress) -> Void { context.onProgress }

    func access<Value: Sendable>(
        _ work: @Sendable (EntityAccess) throws -> Value
    ) async throws(DomainError) -> Value {
        try await database.access(random, now: wallClock.now, work)
    }

    /// The cursor of the next pull; `nil` also when it was stored for other collections: rows of the new ones were never
    /// fetched.
    func storedCursor() async throws(DomainError) -> String? {
        let known = knownCollections
        return try await database.read { db in
            let sql = "SELECT cursor FROM cursor WHERE collections = ?"
            return try String.fetchOne(db.cachedStatement(sql: sql), arguments: [known])
        }
    }

    /// The position in an incomplete snapshot; `nil` without one.
    func storedPage() async throws(DomainError) -> String? {
        try await database.read { db in
            try String.fetchOne(db.cachedStatement(sql: "SELECT page FROM cursor"))
        }
    }

    var knownCollections: String { database.collections.keys.sorted().joined(separator: " ") }

    /// The collections of requests: this store has no table for others.
    var wantedCollections: String { database.collections.keys.sorted().joined(separator: ",") }
}
