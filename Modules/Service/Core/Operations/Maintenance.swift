import FoundationEssentials
import Logging
import StrataDomain

/// Forgets, once at the start and then every hour, what nobody can ask for any more.
struct Maintenance: Sendable {
    let store: any Store
    let sync: SyncFeature
    let features: [any FeatureService]
    let wallClock: any WallClock
    let clock: any Clock<Duration>
    let logger: Logger

    /// Runs until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            await pruneOnce()
            do { try await clock.sleep(for: .seconds(3600)) } catch { return }
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
