import FoundationEssentials

/// The table of jobs: a durable queue in the database of the service. Each function is one step inside of a transaction.
///
/// **States**
///
/// | State | The job |
/// |---|---|
/// | `arrived` | has a key, and was not looked at yet |
/// | `behind` | has a key, and waits for another job of that key |
/// | `ready` | runs as soon as its time has come |
/// | `running` | a replica does it, in the attempt `attempt` |
/// | `failed` | was set aside: it waits for an operator |
///
/// A job that is done has no row.
///
/// **Transitions**, each in one transaction:
///
/// | From | To | When |
/// |---|---|---|
/// | – | `ready`, `arrived` | it is enqueued without, or with a key (`insert`) |
/// | `arrived` | `ready`, `behind` | its key has no head, or has one (`sort`) |
/// | `behind` | `ready` | the head of its key leaves, and it is the first behind (`promote`) |
/// | `ready` | `running` | a replica takes it; `attempt` rises by one (`claim`) |
/// | `running` | – | it is done (`finish`) |
/// | `running` | `ready` | it failed and is tried again, a drain ended it, or its replica ended (`retry`, `release`, `takeOver`) |
/// | `running` | `failed` | it failed for the last time (`setAside`, `takeOver`) |
/// | `failed` | `ready`, `arrived` | an operator repeats it (`JobQueue.retry`) |
/// | all but `running` | – | an operator discards it (`JobQueue.discard`) |
///
/// **Invariants**
///
/// 1. A key has at most one job that is `ready` or `running`, its head: `queue_head` is the key there and `NULL` elsewhere, and it is
///    unique.
/// 2. A key that has a job `behind` has a head.
/// 3. Jobs that have arrived are sorted by their positions, and of those behind, the one with the smallest position becomes the head.
/// 4. `attempt` never falls. An outcome counts only if the row is `running` in the attempt of the one who states it. So a replica that
///    was taken for dead cannot finish a job, nor fail it, and `JobRun.finish` has no effect then.
///
/// An enqueuing transaction reads nothing and inserts a row that no other writes, so users' writes never wait for workers. Jobs without
/// a key skip `arrived`. Each step finds its rows by an index of its state, and none reads rows of another.
enum JobTable {
    static let migration = StoreMigration(
        "service-3-jobs",
        [
            """
            CREATE TABLE service_job (
                id TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, job_key TEXT, queue_head TEXT UNIQUE,
                seq BIGINT NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('arrived', 'behind', 'ready', 'running', 'failed')),
                payload TEXT NOT NULL, enqueued_at BIGINT NOT NULL, due_at BIGINT NOT NULL, attempt BIGINT NOT NULL,
                failures BIGINT NOT NULL, beat BIGINT NOT NULL, worker TEXT, error TEXT)
            """,
            "CREATE INDEX service_job_arrived ON service_job (seq) WHERE state = 'arrived'",
            "CREATE INDEX service_job_behind ON service_job (job_key, seq) WHERE state = 'behind'",
            "CREATE INDEX service_job_ready ON service_job (kind, due_at, seq) WHERE state = 'ready'",
            "CREATE INDEX service_job_running ON service_job (id) WHERE state = 'running'",
            "CREATE INDEX service_job_failed ON service_job (seq) WHERE state = 'failed'",
        ] + JobOrder.tables + [JobSchedule.table])

    static func insert(_ job: NewJob, in transaction: any StoreTransaction) throws {
        let position = try JobOrder.next(in: transaction)
        try transaction.executeLater(
            """
            INSERT INTO service_job
                (id, kind, job_key, seq, state, payload, enqueued_at, due_at, attempt, failures, beat)
            VALUES (\(job.id), \(job.kind), \(job.key), \(position), \(job.key == nil ? "ready" : "arrived"),
                \(job.payload), \(job.enqueuedAt), \(job.dueAt), 0, 0, 0)
            """)
    }

    // MARK: Finding

    /// Jobs that have arrived, in order. A replica sorts them in pieces.
    static func arrived(in reader: any StoreReader) throws -> [String] {
        try reader.rows("SELECT id FROM service_job WHERE state = 'arrived' ORDER BY seq LIMIT 500").map {
            try $0.text("id")
        }
    }

    /// The first jobs of each kind by their times, those that are not due included.
    ///
    /// - Parameter limit: Of each kind.
    static func ready(_ kinds: [String], limit: Int, in reader: any StoreReader) throws -> [ReadyJob] {
        let parts = kinds.map { kind -> Statement in
            """
            SELECT id, due_at, seq FROM (
                SELECT id, due_at, seq FROM service_job WHERE state = 'ready' AND kind = \(kind)
                ORDER BY due_at, seq LIMIT \(limit)) AS part
            """
        }
        guard let first = parts.first else { return [] }
        let statement = parts.dropFirst().reduce(first) { "\($0) UNION ALL \($1)" }
        return try reader.rows(statement).map { row in
            try ReadyJob(id: row.text("id"), dueAt: row.date("due_at"), position: row.int("seq"))
        }.sorted()
    }

    /// The jobs that run, on all replicas.
    static func running(in reader: any StoreReader) throws -> [RunningJob] {
        try reader.rows("SELECT id, kind, attempt, failures, beat FROM service_job WHERE state = 'running'").map {
            row in
            try RunningJob(
                id: row.text("id"), kind: row.text("kind"), attempt: row.int("attempt"), failures: row.int("failures"),
                beat: row.int("beat"))
        }
    }

    // MARK: Taking

    /// Gives jobs that have arrived their place: the first of a key becomes its head, the others wait behind it.
    ///
    /// - Parameter ids: In the order of their positions.
    /// - Throws: `StoreError.constraint` when another replica has made the head of a key just now; look again.
    static func sort(_ ids: [String], in transaction: any StoreTransaction) throws {
        let head: Statement = "EXISTS (SELECT 1 FROM service_job h WHERE h.queue_head = service_job.job_key)"
        for id in ids {
            try transaction.executeLater(
                """
                UPDATE service_job SET state = CASE WHEN \(head) THEN 'behind' ELSE 'ready' END,
                    queue_head = CASE WHEN \(head) THEN NULL ELSE job_key END
                WHERE id = \(id) AND state = 'arrived'
                """)
        }
    }

    /// Begins an attempt of each job that is still ready and due.
    static func claim(
        _ ids: [String], by worker: String, at now: Date, in transaction: any StoreTransaction
    ) throws -> [ClaimedJob] {
        guard !ids.isEmpty else { return [] }
        return try transaction.rows(
            """
            UPDATE service_job SET state = 'running', attempt = attempt + 1, beat = 0, worker = \(worker)
            WHERE id IN (\(list: ids)) AND state = 'ready' AND due_at <= \(now)
            RETURNING id, kind, job_key, payload, attempt, failures, enqueued_at
            """
        ).map { row in
            try ClaimedJob(
                lease: JobLease(id: row.text("id"), attempt: row.int("attempt"), key: row.textIfAny("job_key")),
                kind: row.text("kind"), payload: row.text("payload"), failures: row.int("failures"),
                enqueuedAt: row.date("enqueued_at"))
        }
    }
}
