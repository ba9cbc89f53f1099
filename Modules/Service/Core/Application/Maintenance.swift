import FoundationEssentials
import Logging
import StrataDomain

/// The background work of a service. At the start and every hour it deletes expired rows. Every 15 seconds it deletes
/// resources of deleted rows and lets the database check itself for damage.
struct Maintenance: Sendable {
    let store: any Store
    let sync: SyncFeature
    let features: [any FeatureService]
    let wallClock: any WallClock
    let clock: any Clock<Duration>
    let logger: Logger

    /// Runs until it is cancelled.
    func run() async {
        await withTaskGroup { group in
            group.addTask { await repeating(every: .seconds(3600)) { await pruneOnce() } }
            group.addTask { await repeating(every: .seconds(15)) { await tidyOnce() } }
        }
    }

    private func repeating(every interval: Duration, _ body: () async -> Void) async {
        while !Task.isCancelled {
            await body()
            do { try await clock.sleep(for: interval) } catch { return }
        }
    }

    func tidyOnce() async {
        do {
            for feature in features { try await feature.reclaim(store) }
            try await store.inspect()
        } catch is CancellationError {
            return
        } catch {
            logger.warning("could not tidy up", metadata: ["error": "\(String(reflecting: error))"])
        }
    }

    func pruneOnce() async {
        let now = wallClock.now
        do {
            try await store.write { transaction in try IdempotencyLog.prune(at: now, in: transaction) }
            try await sync.prune(at: now)
            for feature in features { try await feature.maintain(store, at: now) }
        } catch is CancellationError {
            return
        } catch {
            logger.warning("could not prune", metadata: ["error": "\(String(reflecting: error))"])
        }
    }
}
