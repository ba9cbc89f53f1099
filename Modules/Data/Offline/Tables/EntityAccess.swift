import FoundationEssentials
import GRDB
import Logging
import StrataConcurrency
import StrataDomain

/// Loads rows with all that is known about them and stores their next states, inside one transaction.
final class EntityAccess {
    let tables: EntityTables
    let now: Date
    let collections: [String: OfflineCollection]
    let random: RandomSource
    private let log: Logger
    /// The present replacement round.
    var round: Int

    /// - Parameter claimant: The account that this process writes for; `nil` for any.
    /// - Throws: `.forbidden` when the database belongs to another account now.
    init(
        _ db: Database, collections: [String: OfflineCollection], claimant: String?, _ random: RandomSource, now: Date,
        log: Logger
    ) throws {
        tables = EntityTables(db: db)
        self.collections = collections
        self.log = log
        self.random = random
        self.now = now
        let sql = "SELECT round, (SELECT value FROM meta WHERE key = 'account') FROM cursor"
        let row = try Row.fetchOne(db.cachedStatement(sql: sql))
        round = row?[0] ?? 0
        if let claimant, claimant != row?[1] {
            throw DomainError.forbidden(
                "The offline store now belongs to another account; nothing was changed. Try again.")
        }
    }

    func context(_ collection: String) -> SyncPlanner.Context {
        SyncPlanner.Context(
            mutationId: random.id(at: now), conflictId: random.id(at: now), now: now, round: round,
            policy: collections[collection]?.policy ?? MergePolicy())
    }

    /// The local side of a reconciliation (O2).
    ///
    /// - Parameter isQuiet: The entity has no queue, conflict or deferred remote row: they are not read.
    func fetchLocal(_ key: EntityKey, isQuiet: Bool = false) throws -> EntityState {
        isQuiet ? EntityState(key: key, base: try tables.base(key)) : try tables.state(key)
    }

    /// The local side; `nil` for an entity whose queue is damaged, which the log and the outbox tell.
    ///
    /// - Parameter remote: Stored until the damage is gone.
    func fetchIntact(_ key: EntityKey, isQuiet: Bool = false, else remote: SyncChange? = nil) throws -> EntityState? {
        do { return try fetchLocal(key, isQuiet: isQuiet) } catch let damage as DamagedEntry {
            log.warning("\(damage)", metadata: ["collection": "\(key.collection)", "id": "\(key.id)"])
            if let remote { try tables.setDeferredRemote(remote, key) }
            return nil
        }
    }

    /// - Returns: `nil` for an entry that cannot be read.
    func intactEntry(_ row: Row) throws -> OutboxEntry? {
        do { return try OutboxRow.entry(row) } catch let damage as DamagedEntry {
            log.warning("\(damage)")
            return nil
        }
    }

    /// The state of a row that is probably new: one query instead of four.
    func fetchNew(_ key: EntityKey) throws -> EntityState {
        try tables.isKnown(key) ? try tables.state(key) : EntityState(key: key)
    }

    /// Stores the differences of two states of a row, and the displayed row (O2).
    ///
    /// - Parameter isLocal: The change comes from here: fields that make no row are refused with `.validation`. Remote
    ///   ones are kept for a later version of the program, and the row stays as it was.
    func persist(_ next: EntityState, over old: EntityState, isLocal: Bool) throws {
        let key = next.key
        var next = next
        // A write that was sent before the program was replaced has the names of then.
        if let data = next.base?.data, let renewed = renewed(data, in: key.collection) { next.base?.data = renewed }
        if next.base != old.base { try tables.setBase(next.base, key) }
        if next.queue != old.queue { try tables.setQueue(next.queue, over: old.queue) }
        if next.deferredRemote != old.deferredRemote { try tables.setDeferredRemote(next.deferredRemote, key) }
        if next.openConflict != old.openConflict { try tables.setOpenConflict(next.openConflict, key) }
        let row = next.row
        if row != old.row || next.stamp != old.stamp {
            try store(row, next.stamp, key, isNew: old.row == nil, isLocal: isLocal)
        }
        if row == nil, collections[key.collection]?.isInSpaces == true {
            try LastWrite.forget(where: { $0 == key }, tables.db)
        }
    }

    /// Stores a row that is new to both sides.
    func insert(_ state: EntityState) throws {
        guard let row = state.row else { return }
        try made(row, state.stamp, state.key).insert(tables.db)
        for entry in state.queue { try tables.insert(entry) }
    }

    /// A later position is a fault: it leaves no place for further ones.
    static let lastPosition = Int.max / 2

    static let noPosition = DomainError.storage(
        "The database has no position for a further write: its row of the client is damaged. Send or discard what waits, "
            + "then move the file away; a synchronisation fetches the rows again.")

    /// The next position in the order of local writes: after every entry that is or was in the outbox.
    func nextSeq() throws -> Int {
        let sql = "SELECT max(last_seq, coalesce((SELECT max(client_seq) FROM outbox), 0)) FROM client"
        guard let last = try Int.fetchOne(tables.db.cachedStatement(sql: sql)) else {
            throw DomainError.storage("The database has lost its client row; restore it from a copy.")
        }
        guard last <= Self.lastPosition else { throw Self.noPosition }
        return last + 1
    }

    private func store(
        _ row: [String: JSONValue]?, _ stamp: RowStamp, _ key: EntityKey, isNew: Bool, isLocal: Bool
    ) throws {
        guard let row else {
            try collections[key.collection]?.delete(key.id, in: tables.db)
            return
        }
        do {
            try made(row, stamp, key).put(in: tables.db, isNew: isNew)
        } catch let error as DomainError where !isLocal {
            try hide(key, because: "\(error)")
            log.warning(
                "A remote row is not shown: this version cannot read it.",
                metadata: ["collection": "\(key.collection)", "id": "\(key.id)", "reason": "\(error)"])
        }
    }

    private func made(_ row: [String: JSONValue], _ stamp: RowStamp, _ key: EntityKey) throws -> any OfflineRow {
        guard let collection = collections[key.collection] else {
            throw DomainError.unexpected("Collection '\(key.collection)' is not registered with this store.")
        }
        do {
            return try collection.row(key.id, row, stamp)
        } catch let error as WireFields.Mismatch {
            throw DomainError.validation(
                "'\(key.id)' in \(key.collection) was not accepted.",
                fields: [FieldError(field: error.field, message: "must be \(error.expected)")])
        } catch let error as DomainError {
            throw error
        } catch {
            throw DomainError.validation("'\(key.id)' in \(key.collection) was not accepted: \(error)")
        }
    }
}
