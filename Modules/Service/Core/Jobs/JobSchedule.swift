import FoundationEssentials
import StrataDomain

/// The next times of functions that run at times. A time that has come becomes a job, so it is done by one replica, tried again, counted
/// and listed like any other.
enum JobSchedule {
    static let table =
        "CREATE TABLE service_schedule (name TEXT NOT NULL PRIMARY KEY, times TEXT NOT NULL, next_at BIGINT, job_id TEXT)"

    /// The next time of each function in the database; it is `nil` where none follows.
    struct Entry: Sendable {
        let times: String
        let nextAt: Date?
        /// The last job that was made.
        let jobID: String?
    }

    static func entries(of handlers: [JobHandler], in reader: any StoreReader) throws -> [String: Entry] {
        guard !handlers.isEmpty else { return [:] }
        let rows = try reader.rows(
            """
            SELECT name, times, next_at, job_id FROM service_schedule WHERE name IN (\(list: handlers.map(\.kind)))
            """)
        return Dictionary(
            try rows.map { row in
                let entry = try Entry(
                    times: row.text("times"), nextAt: row.dateIfAny("next_at"), jobID: row.textIfAny("job_id"))
                return (try row.text("name"), entry)
            }
        ) { first, _ in first }
    }

    /// Whether `tick` has anything to do.
    static func isDue(_ handler: JobHandler, _ entry: Entry?, at now: Date) -> Bool {
        guard let entry, entry.times == handler.times?.text else { return true }
        return entry.nextAt.map { $0 <= now } ?? false
    }

    /// Makes a job of each function whose time has come, and notes its next time, in one transaction. A function whose last job is not
    /// done yet gets none; one whose last job was set aside gets another in its place.
    static func tick(_ handlers: [JobHandler], at now: Date, in transaction: any StoreTransaction) throws {
        let entries = try entries(of: handlers, in: transaction)
        for handler in handlers {
            guard let times = handler.times else { continue }
            let entry = entries[handler.kind]
            guard isDue(handler, entry, at: now) else { continue }
            // A new function, or one with new times, runs when its first time comes.
            let known = entry.flatMap { $0.times == times.text ? $0 : nil }
            let due = if let known { known.nextAt } else { times.first(at: now) }
            guard let due, due <= now else {
                try store(handler, times, next: times.first(at: now), job: entry?.jobID, in: transaction)
                continue
            }
            let job = try enqueue(handler, after: entry?.jobID, at: now, in: transaction)
            try store(handler, times, next: times.next(after: now), job: job, in: transaction)
        }
    }

    private static func store(
        _ handler: JobHandler, _ times: JobTimes, next: Date?, job: String?, in transaction: any StoreTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO service_schedule (name, times, next_at, job_id)
            VALUES (\(handler.kind), \(times.text), \(next), \(job))
            ON CONFLICT (name) DO UPDATE SET times = excluded.times, next_at = excluded.next_at, job_id = excluded.job_id
            """)
    }

    /// - Returns: The id of the job of this function.
    private static func enqueue(
        _ handler: JobHandler, after last: String?, at now: Date, in transaction: any StoreTransaction
    ) throws -> String {
        if let last, let row = try transaction.row("SELECT state FROM service_job WHERE id = \(last)") {
            guard try row.text("state") == "failed" else { return last }
            try transaction.execute("DELETE FROM service_job WHERE id = \(last) AND state = 'failed'")
        }
        let job = NewJob(
            id: UUIDv7.string(at: now), kind: handler.kind, key: nil, payload: "{}", enqueuedAt: now, dueAt: now)
        try JobTable.insert(job, in: transaction)
        return job.id
    }
}
