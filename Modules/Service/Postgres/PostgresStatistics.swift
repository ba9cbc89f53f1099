import StrataConcurrency
import StrataService
import StrataSystem

/// Counts of a store and the time it spends at the server.
final class PostgresStatistics: Sendable {
    private struct Counts {
        var commits = 0
        var retries = 0
        var connections = 0
        var roundTrips = 0
        var atServer = Duration.zero
        var waits = 0
        var waiting = Duration.zero
    }

    private let counts = Mutex(Counts())

    func countCommit() { counts.withLock { $0.commits += 1 } }
    func countRetry() { counts.withLock { $0.retries += 1 } }
    func countConnection() { counts.withLock { $0.connections += 1 } }

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
                "Transactions run again after a lost connection, a deadlock or a serialisation failure.",
                Double(counts.retries)),
            MetricSample(
                "database_connections_opened_total", .counter, "Connections opened.", Double(counts.connections)),
            MetricSample(
                "database_round_trips_total", .counter, "Batches of statements sent to the server.",
                Double(counts.roundTrips)),
            MetricSample(
                "database_round_trip_seconds_total", .counter,
                "Time between a batch and its last result. A write waits for the lock of writers in its first batch.",
                counts.atServer.inSeconds),
            MetricSample(
                "database_connection_wait_seconds_total", .counter,
                "Time in which transactions waited for a connection.",
                counts.waiting.inSeconds),
        ]
    }
}
