import StrataDomain

/// The versions of changes, which are the one order in which all readers see the changes.
///
/// With one writer at a time a version is the next number. Where writers run side by side it is the id of the transaction, then the
/// number of the change in it: `(base + id) << 16 | number`. A page ends below the oldest transaction that may still commit,
/// so no change appears at or below a version that a client has. `sync_meta.base` keeps versions rising when a database moves
/// to a server whose ids are smaller.
enum ChangeOrder {
    static let migration = StoreMigration(
        "sync-7-order",
        // 0 with one writer at a time, and until the first start of a service.
        "ALTER TABLE sync_meta ADD COLUMN base BIGINT NOT NULL DEFAULT 0"
    )

    /// Versions of a transaction.
    private static let width = 1 << 16

    /// SQL for the last version below every transaction that may still commit; for a query of `sync_meta m`.
    static func line(_ writers: ConcurrentWriters) -> Statement {
        "((m.base + \(writers.oldest)) * \(raw: "\(width)") - 1)"
    }

    /// The version of the next change of a transaction.
    ///
    /// - Throws: `StoreError.failed` for more than 65,535 changes in one transaction.
    static func next(
        _ writers: ConcurrentWriters, _ changes: ChangeCounter, in transaction: any StoreTransaction
    ) throws -> Int {
        if changes.transaction == nil {
            let row = try transaction.row("SELECT base + \(writers.transaction) AS number FROM sync_meta WHERE id = 1")
            changes.transaction = try row?.int("number")
        }
        guard let number = changes.transaction else {
            throw StoreError.failed("sync_meta has no row; the store was not prepared")
        }
        changes.count += 1
        guard changes.count < width else {
            throw StoreError.failed("a transaction has at most \(width - 1) changes of synchronised rows; divide it")
        }
        return number * width + changes.count
    }

    /// Makes later versions larger than all that are stored; for the start of a service. Safe to repeat.
    static func prepare(in transaction: any StoreTransaction) throws {
        let writers = transaction.concurrentWriters
        let id = writers?.transaction ?? "0"
        guard
            let row = try transaction.row(
                """
                SELECT m.base AS base, m.seq AS seq, m.base + \(id) AS number, p.version AS pruned,
                    (SELECT MAX(version) FROM sync_change) AS version,
                    (SELECT MAX(started) FROM sync_timeline WHERE started < \(SyncTimelines.unknown)) AS started
                FROM sync_meta m, sync_pruned p WHERE m.id = 1 AND p.id = 1
                """)
        else { throw StoreError.failed("sync_meta has no row; the store was not prepared") }
        let base = try row.int("base")
        let highest = try max(
            row.int("seq"), row.int("pruned"), row.intIfAny("version") ?? 0, row.intIfAny("started") ?? 0)
        guard writers != nil else {
            // A copy of a database whose writers ran side by side.
            guard base != 0 else { return }
            try transaction.execute(
                """
                UPDATE sync_meta SET base = 0, seq = \(highest),
                    last_at = (SELECT COALESCE(MAX(updated_at), 0) FROM sync_change) WHERE id = 1
                """)
            return
        }
        let number = try row.int("number")
        let raised = base + max(0, highest / width + 1 - number)
        guard raised != base || base == 0 else { return }
        try transaction.execute("UPDATE sync_meta SET base = \(raised == 0 ? 1 : raised) WHERE id = 1")
    }
}
