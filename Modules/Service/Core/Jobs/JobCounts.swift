import FoundationEssentials
import StrataConcurrency

/// Jobs by state.
struct JobCounts: Sendable, Hashable {
    /// `arrived`, `behind` and `ready`.
    var waiting = 0
    var running = 0
    var failed = 0
    /// When the oldest job that waits was enqueued.
    var oldest: Date?

    /// Reads the whole table, so it is for a metric of every 10 seconds and for operators.
    static func read(in reader: any StoreReader) throws -> JobCounts {
        var counts = JobCounts()
        try reader.forEachRow(
            of: "SELECT state, COUNT(*) AS number, MIN(enqueued_at) AS oldest FROM service_job GROUP BY state"
        ) { row in
            let number = try row.int("number")
            switch try row.text("state") {
            case "running": counts.running = number
            case "failed": counts.failed = number
            default:
                counts.waiting += number
                counts.oldest = [counts.oldest, try row.dateIfAny("oldest")].compactMap(\.self).min()
            }
            return true
        }
        return counts
    }
}

/// The metrics of jobs: what the last count found, and what this replica has done.
final class JobMetrics: Sendable {
    enum Event: Sendable, Hashable, CaseIterable {
        case done, retried, setAside, returned, takenOver
    }

    private struct State {
        var counts = JobCounts()
        var age = 0.0
        var events: [Event: Int] = [:]
    }

    private let state = Mutex(State())

    func count(_ event: Event) { state.withLock { $0.events[event, default: 0] += 1 } }

    func note(_ counts: JobCounts, at now: Date) {
        state.withLock { state in
            state.counts = counts
            state.age = counts.oldest.map { max(0, now.timeIntervalSince($0)) } ?? 0
        }
    }

    var samples: [MetricSample] {
        let state = state.withLock { $0 }
        let gauges = [
            MetricSample("jobs_waiting", .gauge, "Jobs that wait, in the database.", Double(state.counts.waiting)),
            MetricSample("jobs_running", .gauge, "Jobs that run, on all replicas.", Double(state.counts.running)),
            MetricSample(
                "jobs_failed", .gauge, "Jobs that were set aside and wait for an operator.", Double(state.counts.failed)
            ),
            MetricSample("jobs_oldest_seconds", .gauge, "Age of the oldest job that waits.", state.age),
        ]
        let counters = Event.allCases.map { event in
            MetricSample(event.name, .counter, event.help, Double(state.events[event] ?? 0))
        }
        return gauges + counters
    }
}

extension JobMetrics.Event {
    fileprivate var name: String {
        switch self {
        case .done: "jobs_done_total"
        case .retried: "jobs_retried_total"
        case .setAside: "jobs_set_aside_total"
        case .returned: "jobs_returned_total"
        case .takenOver: "jobs_taken_over_total"
        }
    }

    fileprivate var help: String {
        switch self {
        case .done: "Jobs that this replica has done."
        case .retried: "Failed attempts of this replica that are tried again."
        case .setAside: "Jobs that this replica has set aside."
        case .returned: "Jobs that a drain of this replica gave back."
        case .takenOver: "Attempts of other replicas that this one has ended."
        }
    }
}
