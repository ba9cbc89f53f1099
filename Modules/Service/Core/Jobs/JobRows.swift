import FoundationEssentials

/// A job before it is stored.
struct NewJob: Sendable {
    let id: String
    let kind: String
    let key: String?
    /// JSON.
    let payload: String
    let enqueuedAt: Date
    let dueAt: Date
}

/// The right to do a job: one attempt of it.
struct JobLease: Sendable, Hashable {
    let id: String
    /// Tells this attempt from all others of the job: 1 or more.
    let attempt: Int
    let key: String?
}

/// A job that a replica has just taken.
struct ClaimedJob: Sendable {
    let lease: JobLease
    let kind: String
    let payload: String
    /// Failed attempts before this one.
    let failures: Int
    let enqueuedAt: Date
}

/// A job that waits for its time. They compare by the order in which they are taken.
struct ReadyJob: Sendable, Hashable, Comparable {
    let id: String
    let dueAt: Date
    let position: Int

    static func < (one: ReadyJob, other: ReadyJob) -> Bool {
        (one.dueAt, one.position) < (other.dueAt, other.position)
    }
}

/// A job that some replica does.
struct RunningJob: Sendable, Hashable {
    let id: String
    let kind: String
    let attempt: Int
    let failures: Int
    /// Signs of life of the attempt so far.
    let beat: Int
}

/// An attempt that has ended without its replica: the job belongs to another attempt, or was discarded.
struct JobLeaseLost: Error, CustomStringConvertible {
    let description: String

    init(_ lease: JobLease) {
        description = "Attempt \(lease.attempt) of the job \(lease.id) is over; another replica has taken it."
    }
}
