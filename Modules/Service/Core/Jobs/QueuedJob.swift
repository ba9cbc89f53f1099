public import FoundationEssentials

/// A job in the queue, as operators see it.
public struct QueuedJob: Sendable, Hashable, Codable, Identifiable {
    /// Where a job stands.
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// Has a key, and was not looked at yet.
        case arrived
        /// Has a key, and waits for another job of that key.
        case behind
        /// Runs as soon as its time has come.
        case ready
        /// A replica works on it.
        case running
        /// Was set aside.
        case failed
    }

    public let id: String
    /// The kind of the job.
    public let kind: String
    /// Jobs with one key run one after the other; `nil` for none.
    public let key: String?
    /// Where the job stands.
    public let state: State
    /// When the job was enqueued.
    public let enqueuedAt: Date
    /// The earliest time of its next attempt.
    public let dueAt: Date
    /// Attempts so far.
    public let attempts: Int
    /// Failed ones.
    public let failures: Int
    /// Why the last attempt failed.
    public let error: String?
    /// JSON; `nil` in lists.
    public let payload: String?
}

extension QueuedJob {
    static let columns: Statement = "id, kind, job_key, state, enqueued_at, due_at, attempt, failures, error"

    /// - Parameter row: With `columns`, and with `payload` if it is wanted.
    init(_ row: StoreRow, withPayload: Bool) throws {
        let name = try row.text("state")
        guard let state = State(rawValue: name) else { throw StoreError.column("state", expected: "a state of a job") }
        try self.init(
            id: row.text("id"), kind: row.text("kind"), key: row.textIfAny("job_key"), state: state,
            enqueuedAt: row.date("enqueued_at"), dueAt: row.date("due_at"), attempts: row.int("attempt"),
            failures: row.int("failures"), error: row.textIfAny("error"),
            payload: withPayload ? row.text("payload") : nil)
    }
}
