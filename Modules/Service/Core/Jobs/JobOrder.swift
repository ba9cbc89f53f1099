/// The order in which jobs were enqueued.
///
/// With one writer at a time a position is the next number. Where writers run side by side it is the id of the transaction, then the
/// number of the job in it: `(base + id) << 20 | number`. Ids are given when a transaction begins, so one that begins after another has
/// committed has later positions; two at the same time have some order. `base` keeps positions rising when a database moves to a
/// server whose ids are smaller.
enum JobOrder {
    /// Positions of a transaction.
    private static let width = 1 << 20

    static let tables = [
        "CREATE TABLE service_job_order (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), base BIGINT NOT NULL)",
        "INSERT INTO service_job_order (id, base) VALUES (1, 0)",
    ]

    /// SQL for the next position of a transaction.
    ///
    /// - Throws: `StoreError.failed` for more than 1,048,575 jobs in one transaction.
    static func next(in transaction: any StoreTransaction) throws -> Statement {
        guard let writers = transaction.concurrentWriters, let changes = transaction.changes else {
            try transaction.executeLater("UPDATE service_job_order SET base = base + 1 WHERE id = 1")
            return "(SELECT base FROM service_job_order WHERE id = 1)"
        }
        changes.jobs += 1
        guard changes.jobs < width else {
            throw StoreError.failed("a transaction enqueues at most \(width - 1) jobs; divide it")
        }
        return """
            ((SELECT base FROM service_job_order WHERE id = 1) + \(writers.transaction)) * \(raw: "\(width)") \
            + \(changes.jobs)
            """
    }

    /// Makes later positions larger than all that are stored; for the start of a service. Safe to repeat.
    static func prepare(in transaction: any StoreTransaction) throws {
        let writers = transaction.concurrentWriters
        let id = writers?.transaction ?? "0"
        guard
            let row = try transaction.row(
                """
                SELECT base AS base, base + \(id) AS number, (SELECT MAX(seq) FROM service_job) AS highest
                FROM service_job_order WHERE id = 1
                """)
        else { throw StoreError.failed("service_job_order has no row; the store was not prepared") }
        let (base, number, highest) = try (row.int("base"), row.int("number"), row.intIfAny("highest") ?? 0)
        let raised = writers == nil ? max(base, highest) : base + max(0, highest / width + 1 - number)
        guard raised != base else { return }
        try transaction.execute("UPDATE service_job_order SET base = \(raised) WHERE id = 1")
    }
}
