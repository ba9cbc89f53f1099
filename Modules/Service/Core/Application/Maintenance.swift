import FoundationEssentials
import Logging
import StrataDomain

/// The background work of a service, done by one replica. Every 15 seconds it deletes resources of deleted rows; at the start
/// and every hour it deletes expired rows. Each replica lets its database check itself for damage every 15 seconds.
struct Maintenance: Sendable {
    let store: any Store
    let sync: SyncFeature
    let features: [any FeatureService]
    let wallClock: any WallClock
    let clock: any Clock<Duration>
    let logger: Logger

    /// Rounds in an hour.
    private static let roundsBetweenPrunes = 240

    /// Runs until it is cancelled.
    func run() async {
        /// Rounds of this replica since it became the one that does the work.
        var rounds = 0
        while !Task.isCancelled {
            if store.isMaintainer {
                if rounds % Self.roundsBetweenPrunes == 0 { await attempt("prune", pruneOnce) }
                await attempt("tidy up") { for feature in features { try await feature.reclaim(store) } }
                await attempt("fold the digest", sync.tidyUp)
                rounds += 1
            } else {
                rounds = 0
            }
            await attempt("check the database", store.inspect)
            do { try await clock.sleep(for: .seconds(15)) } catch { return }
        }
    }

    private func attempt(_ action: String, _ body: () async throws -> Void) async {
        do { try await body() } catch is CancellationError {
            return
        } catch {
            logger.warning("could not \(action)", metadata: ["error": "\(String(reflecting: error))"])
        }
    }

    private func pruneOnce() async throws {
        let now = wallClock.now
        try await store.write { transaction in try IdempotencyLog.prune(at: now, in: transaction) }
        try await store.quiet.write { transaction in try ReadinessProbe.prune(at: now, in: transaction) }
        try await sync.prune(at: now)
        for feature in features { try await feature.maintain(store, at: now) }
    }
}
