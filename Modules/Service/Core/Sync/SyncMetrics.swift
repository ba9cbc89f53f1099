import Metrics
import StrataDomain

/// Counts what clients with an offline store send and get.
struct SyncMetrics: Sendable {
    private let mutations: [String: Counter]
    private let changes: Counter
    private let snapshots: Counter
    private let longPolls: Meter

    /// Label of a mutation whose stored result was sent again.
    private static let repeated = "repeated"
    private static let statuses: [MutationResult.Status] = [.applied, .conflict, .rejected, .deferred]

    init(_ registry: PrometheusRegistry) {
        registry.describe("sync_mutations_total", "Mutations of committed batches, by result.")
        registry.describe("sync_changes_total", "Changes in responses to pulls.")
        registry.describe("sync_snapshots_total", "Snapshots begun or continued.")
        registry.describe("sync_long_polls", "Pulls that wait for a change.")
        let results = Self.statuses.map(\.rawValue) + [Self.repeated]
        mutations = Dictionary(
            uniqueKeysWithValues: results.map { result in
                (result, Counter(label: "sync_mutations_total", dimensions: [("result", result)], factory: registry))
            })
        changes = Counter(label: "sync_changes_total", factory: registry)
        snapshots = Counter(label: "sync_snapshots_total", factory: registry)
        longPolls = Meter(label: "sync_long_polls", factory: registry)
    }

    /// - Parameter repeated: Places of results that were stored by an earlier batch.
    func pushed(_ results: [MutationResult], repeated: Set<Int>) {
        for (place, result) in results.enumerated() {
            mutations[repeated.contains(place) ? Self.repeated : result.status.rawValue]?.increment()
        }
    }

    func pulled(_ page: ChangesPage) -> ChangesPage {
        changes.increment(by: page.changes.count)
        return page
    }

    func snapshotBegan() { snapshots.increment() }

    /// Runs `body`, which waits for a change.
    func countingLongPoll<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        longPolls.increment()
        defer { longPolls.decrement() }
        return try await body()
    }
}
