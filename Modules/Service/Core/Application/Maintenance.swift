import FoundationEssentials
import Logging
import StrataDomain

/// What the service does by itself: once at the start and then every hour it forgets what nobody can ask for any more; every
/// 15 seconds it gives back what deleted rows left behind, and lets the database look for damage.
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
