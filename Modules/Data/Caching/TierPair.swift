import Logging
import StrataConcurrency
import StrataDomain

/// The state of a tier in memory, as far as every cache has it.
protocol TierInMemory: SendableMetatype {
    var count: Int { get }
    var bytes: Int { get }
    /// A change is queued for the disk.
    mutating func begin()
    /// It is done there. Reads that began before it may have found what was there before.
    mutating func end()
    mutating func removeAll()
    mutating func resize(to limits: CacheLimits)
}

/// A tier in memory over one on disk. Changes reach both in the same order, so that an invalidation can never be overtaken
/// by an older value.
final class TierPair<Memory: TierInMemory>: Sendable {
    let memory: Mutex<Memory>
    /// `nil` where memory is all there is.
    let disk: DiskAccess?
    private let bounds: Mutex<CacheLimits>
    private let logger: Logger

    /// - Parameter trustedFor: How long the disk's version may be late about a change by another process.
    init(
        memory: sending Memory, disk: (any DiskTier)?, trustedFor: Duration, limits: CacheLimits, logger: Logger
    ) {
        self.memory = Mutex(memory)
        self.disk = disk.map { DiskAccess($0, trustedFor: trustedFor) }
        bounds = Mutex(limits)
        self.logger = logger
    }

    var limits: CacheLimits { bounds.withLock { $0 } }

    /// Changes memory and queues the same change for the disk in one step; returns when the disk has done it.
    @discardableResult
    func change<Result: Sendable>(
        _ inMemory: (inout Memory) -> Void, disk onDisk: @escaping @Sendable (any DiskTier) -> Result
    ) async -> Result? {
        guard let disk else {
            memory.withLock { inMemory(&$0) }
            return nil
        }
        return await withCheckedContinuation { continuation in
            memory.withLock { memory in
                memory.begin()
                inMemory(&memory)
                disk.change { tier in
                    let result = onDisk(tier)
                    self.memory.withLock { $0.end() }
                    continuation.resume(returning: result)
                }
            }
        }
    }

    /// Removes everything from memory and disk, also what lies in free pages and logs.
    ///
    /// - Throws: `.storage` when the disk cannot do it.
    func clear() async throws(DomainError) {
        let result = await change {
            $0.removeAll()
        } disk: { disk in
            Result { () throws(DomainError) in try disk.clear() }
        }
        try result?.get()
    }

    /// Like `clear`, with a failure only logged.
    func removeAll() async {
        do { try await clear() } catch { logger.warning("the cache was not cleared", metadata: ["reason": "\(error)"]) }
    }

    /// Takes over new limits at once: what is too much goes from memory and disk.
    func resize(to limits: CacheLimits) async {
        bounds.withLock { $0 = limits }
        await change {
            $0.resize(to: limits)
        } disk: {
            $0.resize(to: limits.diskBytes)
        }
    }

    /// What both hold now.
    func stats() async -> CacheStats {
        let disk = await change { _ in
        } disk: {
            $0.prepare()
            return $0.usage()
        }
        let (entries, bytes) = memory.withLock { ($0.count, $0.bytes) }
        let limits = limits
        return CacheStats(
            entries: disk?.entries ?? entries, bytes: disk?.bytes ?? bytes,
            limit: disk == nil ? limits.memoryBytes : limits.diskBytes, memoryEntries: entries, memoryBytes: bytes,
            path: disk?.path)
    }
}
