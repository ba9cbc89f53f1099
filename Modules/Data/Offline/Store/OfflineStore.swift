public import FoundationEssentials
public import GRDB
public import StrataDomain

/// The gateway for local reads and writes.
///
/// A write stores the row and its entry in the outbox in one transaction that is on the disk when the call returns. It
/// never waits for the network. Several processes may write at the same time.
public struct OfflineStore: Sendable {
    /// The database that the store writes.
    public let database: OfflineDatabase
    private let wallClock: any WallClock
    private let random: RandomSource

    /// A store in `database`; `random` gives ids.
    public init(
        database: OfflineDatabase, wallClock: any WallClock = SystemWallClock(), random: RandomSource = RandomSource()
    ) {
        self.database = database
        self.wallClock = wallClock
        self.random = random
    }

    /// Reads from one consistent state of the database; never waits for a writer.
    public func read<Value: Sendable>(
        _ work: @Sendable (Database) throws -> Value
    ) async throws(DomainError) -> Value {
        try await database.read(work)
    }

    /// - Parameter fields: All fields of the new row, keys as on the wire.
    /// - Throws: `.conflict` when a row with this id exists; `.validation` when the fields make no row.
    public func create(_ collection: String, _ id: String, _ fields: [String: JSONValue]) async throws(DomainError) {
        try await write(LocalWrite(operation: .create, fields: fields), collection, id)
    }

    /// - Parameter fields: The fields to change; null takes one away. Fields that are as they were are left out, and a
    ///   patch that changes nothing is not queued.
    /// - Throws: `.notFound` when no row has this id; `.validation` when the result makes no row.
    public func patch(_ collection: String, _ id: String, _ fields: [String: JSONValue]) async throws(DomainError) {
        try await write(LocalWrite(operation: .patch, fields: fields), collection, id)
    }

    /// Deletes a row; one that was never sent goes without a trace. Rows that name it are deleted or cleared as their references say.
    ///
    /// - Throws: `.notFound` when no row has this id; `.conflict` while rows here name it whose reference restricts the deletion.
    public func delete(_ collection: String, _ id: String) async throws(DomainError) {
        try await write(LocalWrite(operation: .delete, fields: [:]), collection, id)
    }

    /// Creates all rows in one transaction, or none. A row whose id exists is left out.
    ///
    /// Meant for imports: hand over some thousand rows at a time.
    ///
    /// - Parameter now: The time of the write. Default: the present.
    /// - Returns: The ids of the rows that were stored.
    /// - Throws: `.validation` for the first row whose fields make no row.
    public func createAll(
        _ collection: String, _ rows: [(id: String, fields: [String: JSONValue])], at now: Date? = nil
    ) async throws(DomainError) -> Set<String> {
        // One row is as small a write as that of `create`.
        try await access(rows.count == 1 ? .small : .usual, at: now) { access in
            var seq = try access.nextSeq()
            var stored: Set<String> = []
            for (id, fields) in rows {
                let key = EntityKey(collection: collection, id: id)
                let create = LocalWrite(operation: .create, fields: fields)
                if try access.tables.isKnown(key) {
                    let old = try access.fetchLocal(key)
                    guard old.row == nil else { continue }
                    try access.persist(
                        try create.planned(on: old, seq: seq, access.context(collection)), over: old, isLocal: true)
                } else {
                    try access.insert(
                        try create.planned(on: EntityState(key: key), seq: seq, access.context(collection)))
                }
                stored.insert(id)
                seq += 1
            }
            if !stored.isEmpty {
                try LastWrite(importOf: stored.count, into: collection).store(access.tables.db)
            }
            return stored
        }
    }

    private func write(_ write: LocalWrite, _ collection: String, _ id: String) async throws(DomainError) {
        try await access(.small) { access in
            let key = EntityKey(collection: collection, id: id)
            let changes = access.tables.db.totalChangesCount
            if write.operation == .delete { try access.release(key) }
            let takesOthers = access.tables.db.totalChangesCount != changes
            let old = try write.operation == .create ? access.fetchNew(key) : access.fetchLocal(key)
            let next = try write.planned(on: old, seq: try access.nextSeq(), access.context(collection))
            try access.persist(next, over: old, isLocal: true)
            try Self.remember(next, over: old, takesOthers: takesOthers, access)
        }
    }

    /// Notes a write for `undo`.
    private static func remember(
        _ next: EntityState, over old: EntityState, takesOthers: Bool, _ access: EntityAccess
    ) throws {
        let (before, after) = (old.row, next.row)
        guard before != after else { return }
        var last = try LastWrite(next.key, before: before, after: after)
        last.isWithoutTrace = after == nil && next.base == nil && next.queue.isEmpty
        if takesOthers {
            last.obstacle =
                "The deletion of '\(next.key.id)' in \(next.key.collection) also changed the rows that named it, so it cannot be undone."
        }
        try last.store(access.tables.db)
    }

    typealias NextState = @Sendable (EntityState, SyncPlanner.Context) throws(DomainError) -> EntityState

    /// Stores the next state of the entity that a row of the engine is about.
    ///
    /// - Parameters:
    ///   - place: The table with the row, and the condition that finds it by its id: `outbox WHERE mutation_id = ?`.
    ///   - missing: Thrown when there is no such row.
    func change(
        _ place: String, _ id: String, or missing: DomainError, _ next: NextState
    ) async throws(DomainError) {
        try await access { access in
            let sql = "SELECT collection, entity_id FROM \(place)"
            guard let row = try Row.fetchOne(access.tables.db, sql: sql, arguments: [id]) else { throw missing }
            let local = try access.fetchLocal(EntityKey(collection: row[0], id: row[1]))
            try access.persist(try next(local, access.context(local.key.collection)), over: local, isLocal: true)
        }
    }

    func access<Value: Sendable>(
        _ kind: WriteKind = .usual, at now: Date? = nil, _ work: @Sendable (EntityAccess) throws -> Value
    ) async throws(DomainError) -> Value {
        try await database.access(random, now: now ?? wallClock.now, as: kind, work)
    }
}
