public import FoundationEssentials
public import GRDB
public import StrataDomain

/// The gateway for local reads and writes.
///
/// A write stores the row and its entry in the outbox in one transaction that is on the disk when the call returns. It
/// never waits for the network. Several processes may write at the same time.
public struct OfflineStore: Sendable {
    public let database: OfflineDatabase
    private let wallClock: any WallClock
    private let random: RandomSource

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

    /// Deletes a row; one that was never sent goes without a trace.
    ///
    /// - Throws: `.notFound` when no row has this id.
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
            return stored
        }
    }

    private func write(_ write: LocalWrite, _ collection: String, _ id: String) async throws(DomainError) {
        try await access(.small) { access in
            let key = EntityKey(collection: collection, id: id)
            let old = try write.operation == .create ? access.fetchNew(key) : access.fetchLocal(key)
            let next = try write.planned(on: old, seq: try access.nextSeq(), access.context(collection))
            try access.persist(next, over: old, isLocal: true)
        }
    }

    func access<Value: Sendable>(
        _ kind: WriteKind = .usual, at now: Date? = nil, _ work: @Sendable (EntityAccess) throws -> Value
    ) async throws(DomainError) -> Value {
        try await database.access(random, now: now ?? wallClock.now, as: kind, work)
    }
}
