import StrataConcurrency
import StrataService
import StrataSystem

/// Counts of a store and the time it spends at the server.
final class PostgresStatistics: Sendable {
    private struct Counts {
        var commits = 0
        var retries = 0
        var conflicts = 0
        var givenUp = 0
        var announcements = 0
        var connections = 0
        var roundTrips = 0
        var atServer = Duration.zero
        var waits = 0
        var waiting = Duration.zero
    }

    private let counts = Mutex(Counts())

    func countCommit() { counts.withLock { $0.commits += 1 } }
    func countConflict() { counts.withLock { $0.conflicts += 1 } }
    func countGivenUp() { counts.withLock { $0.givenUp += 1 } }
    func countAnnouncement() { counts.withLock { $0.announcements += 1 } }
    func countRetry() { counts.withLock { $0.retries += 1 } }
    func countConnection() { counts.withLock { $0.connections += 1 } }

    /// Batches sent so far by transactions. The answer to the COMMIT of a read is read with the next batch.
    var roundTrips: Int { counts.withLock { $0.roundTrips } }
    /// NOTIFY so far; each tells of all commits since the one before.
    var announcements: Int { counts.withLock { $0.announcements } }
    /// Bodies so far that another one had overtaken.
    var conflicts: Int { counts.withLock { $0.conflicts } }

    /// Counts a wait for a free connection.
    func count(wait: Duration) {
        counts.withLock { counts in
            counts.waits += 1
            counts.waiting += wait
        }
    }

    /// Runs `body`, which sends a batch of statements and waits for its results.
    func measuring<Result>(_ body: () throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        defer {
            let time = start.duration(to: .now)
            counts.withLock { counts in
                counts.roundTrips += 1
                counts.atServer += time
            }
        }
        return try body()
    }

    var samples: [MetricSample] {
        let counts = counts.withLock { $0 }
        return [
            MetricSample(
                "database_commits_total", .counter, "Transactions that wrote and were committed.",
                Double(counts.commits)),
            MetricSample(
                "database_retries_total", .counter,
                "Transactions run again after a lost connection or with statements that a migration made stale.",
                Double(counts.retries)),
            MetricSample(
                "database_conflicts_total", .counter,
                "Writes that another write had overtaken, and that were run again (SQLSTATE 40001 and 40P01).",
                Double(counts.conflicts)),
            MetricSample(
                "database_conflicts_given_up_total", .counter,
                "Writes that failed with 503, because others overtook each run of them.", Double(counts.givenUp)),
            MetricSample(
                "database_announcements_total", .counter,
                "Notifications sent to other replicas; one for all commits of at least 20 ms.",
                Double(counts.announcements)),
            MetricSample(
                "database_connections_opened_total", .counter, "Connections opened.", Double(counts.connections)),
            MetricSample(
                "database_round_trips_total", .counter, "Batches of statements sent to the server.",
                Double(counts.roundTrips)),
            MetricSample(
                "database_round_trip_seconds_total", .counter,
                "Time between a batch and its last result.",
                counts.atServer.inSeconds),
            MetricSample(
                "database_connection_wait_seconds_total", .counter,
                "Time in which transactions waited for a connection.",
                counts.waiting.inSeconds),
        ]
    }
}
