public import FoundationEssentials
import StrataDomain

/// The queue of jobs for operators: what waits, runs and failed. Works also while services run.
public struct JobQueue: Sendable {
    private let store: any Store

    /// The queue in a database.
    public init(store: any Store) { self.store = store }

    /// Jobs in the order in which they were enqueued.
    ///
    /// - Parameters:
    ///   - state: Default: all.
    ///   - kind: Default: all.
    ///   - limit: At most so many; 1 or more.
    public func list(
        state: QueuedJob.State? = nil, kind: String? = nil, limit: Int = 100
    ) async throws -> [QueuedJob] {
        let states = state.map { [$0] } ?? QueuedJob.State.allCases
        return try await store.read { reader in
            var jobs: [(seq: Int, job: QueuedJob)] = []
            for state in states {
                let ofKind: Statement = kind.map { "AND kind = \($0)" } ?? ""
                let rows = try reader.rows(
                    """
                    SELECT seq, \(QueuedJob.columns) FROM service_job WHERE state = \(raw: "'\(state.rawValue)'") \(ofKind)
                    ORDER BY seq LIMIT \(max(1, limit))
                    """)
                jobs += try rows.map { try ($0.int("seq"), QueuedJob($0, withPayload: false)) }
            }
            return jobs.sorted { $0.seq < $1.seq }.prefix(max(1, limit)).map(\.job)
        }
    }

    /// - Throws: `ServiceError` 404.
    public func get(_ id: String) async throws -> QueuedJob {
        try await store.read { reader in
            guard
                let row = try reader.row("SELECT \(QueuedJob.columns), payload FROM service_job WHERE id = \(id)")
            else { throw ServiceError.notFound("job", id) }
            return try QueuedJob(row, withPayload: true)
        }
    }

    /// Repeats a job that was set aside, with all its attempts, or lets one that waits for its next attempt begin now.
    ///
    /// It keeps its place: of the jobs of its key it comes first again.
    /// - Throws: `ServiceError` 404; 409 for a job that runs, or waits for another one of its key.
    public func retry(_ id: String, at now: Date) async throws {
        try await store.write { transaction in
            switch try Self.state(of: id, in: transaction) {
            case .failed:
                try transaction.execute(
                    """
                    UPDATE service_job SET failures = 0, due_at = \(now),
                        state = CASE WHEN job_key IS NULL THEN 'ready' ELSE 'arrived' END
                    WHERE id = \(id) AND state = 'failed'
                    """)
            case .ready:
                try transaction.execute(
                    "UPDATE service_job SET due_at = \(now) WHERE id = \(id) AND state = 'ready' AND due_at > \(now)")
            case .running:
                throw ServiceError.conflict(code: "job_running", "The job '\(id)' runs now; wait until it has ended.")
            case .arrived, .behind:
                throw ServiceError.conflict(
                    code: "job_behind", "The job '\(id)' waits for another one of its key; repeat or discard that one.")
            }
            try transaction.announce()
        }
    }

    /// Repeats every job that was set aside.
    ///
    /// - Parameter kind: Default: of all kinds.
    /// - Returns: Their number.
    @discardableResult
    public func retryFailed(kind: String? = nil, at now: Date) async throws -> Int {
        try await store.write { transaction in
            let ofKind: Statement = kind.map { "AND kind = \($0)" } ?? ""
            let count = try transaction.execute(
                """
                UPDATE service_job SET failures = 0, due_at = \(now),
                    state = CASE WHEN job_key IS NULL THEN 'ready' ELSE 'arrived' END
                WHERE state = 'failed' \(ofKind)
                """)
            try transaction.announce()
            return count
        }
    }

    /// Removes a job that does not run. The next of its key can come.
    ///
    /// - Throws: `ServiceError` 404; 409 for a job that runs.
    public func discard(_ id: String) async throws {
        try await store.write { transaction in
            guard try Self.state(of: id, in: transaction) != .running else {
                throw ServiceError.conflict(code: "job_running", "The job '\(id)' runs now; wait until it has ended.")
            }
            let row = try transaction.row(
                "DELETE FROM service_job WHERE id = \(id) AND state <> 'running' RETURNING queue_head")
            if let key = try row?.textIfAny("queue_head") { try JobTable.promote(key, in: transaction) }
            try transaction.announce()
        }
    }

    /// Discards every job that was set aside.
    ///
    /// - Parameter kind: Default: of all kinds.
    /// - Returns: Their number.
    @discardableResult
    public func discardFailed(kind: String? = nil) async throws -> Int {
        try await store.write { transaction in
            let ofKind: Statement = kind.map { "AND kind = \($0)" } ?? ""
            return try transaction.execute("DELETE FROM service_job WHERE state = 'failed' \(ofKind)")
        }
    }

    private static func state(of id: String, in reader: any StoreReader) throws -> QueuedJob.State {
        guard let row = try reader.row("SELECT state FROM service_job WHERE id = \(id)") else {
            throw ServiceError.notFound("job", id)
        }
        let name = try row.text("state")
        guard let state = QueuedJob.State(rawValue: name) else {
            throw StoreError.column("state", expected: "a state of a job")
        }
        return state
    }
}
