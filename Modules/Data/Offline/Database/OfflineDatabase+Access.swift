import FoundationEssentials
import GRDB
import StrataConcurrency
import StrataDomain

extension OfflineDatabase {
    /// Runs `work` on the engine's tables, in one transaction.
    func access<Value: Sendable>(
        _ random: RandomSource, now: Date, as kind: WriteKind = .usual,
        _ work: @Sendable (EntityAccess) throws -> Value
    ) async throws(DomainError) -> Value {
        try await write(kind) { db in try work(access(db, random, now: now)) }
    }

    /// The engine's tables inside a transaction that is under way.
    func access(_ db: Database, _ random: RandomSource, now: Date) throws -> EntityAccess {
        try EntityAccess(
            db, collections: collections, claimant: claimant.withLock { $0 }, random, now: now, log: log)
    }
}
