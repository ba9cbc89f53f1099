import FoundationEssentials
package import Logging
package import StrataConcurrency
package import StrataDomain

/// Values in memory over records on disk.
///
/// A change reaches both tiers in the order of the calls, so that an older value never overtakes an invalidation.
package final class TieredStore<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package struct Memory {
        package var values: SieveMap<Key, Value>
        /// Counts changes. A value read from disk before a change must not be put into memory after it.
        package private(set) var changes = 0
        /// Changes that have not reached the disk; meanwhile memory is right.
        package private(set) var pending = 0
        private var generations: [Int: Int] = [:]

        init(_ values: SieveMap<Key, Value>) { self.values = values }

        /// Whether a value read from disk at `mark` is still the one on disk.
        package func isUnchanged(since mark: Int) -> Bool { changes == mark && pending == 0 }

        func generation(of scopes: GenerationScopes) -> Int {
            scopes.withEverything.reduce(0) { $0 &+ (generations[$1] ?? 0) }
        }

        package mutating func invalidate(_ scopes: GenerationScopes) {
            for scope in scopes.numbers { generations[scope, default: 0] &+= 1 }
        }

        /// Makes all work void that began before.
        mutating func invalidateEverything() { generations[0, default: 0] &+= 1 }

        fileprivate mutating func begin() {
            changes &+= 1
            pending += 1
        }

        fileprivate mutating func end() {
            changes &+= 1
            pending -= 1
        }
    }

    package let memory: Mutex<Memory>
    /// `nil` where there is memory only.
    package let disk: DiskTier?
    private let bounds: Mutex<CacheLimits>
    private let logger: Logger

    package init(disk: DiskTier?, limits: CacheLimits, logger: Logger) {
        memory = Mutex(Memory(SieveMap(entryLimit: limits.memoryEntries, costLimit: limits.memoryBytes)))
        self.disk = disk
        bounds = Mutex(limits)
        self.logger = logger
    }

    var limits: CacheLimits { bounds.withLock { $0 } }

    // MARK: - Changes

    /// Changes memory and queues the same change for the disk in one step; returns when the disk has done it.
    @discardableResult
    package func change<Result: Sendable>(
        _ inMemory: (inout Memory) -> Void, disk onDisk: @escaping @Sendable (DiskTier) -> Result
    ) async -> Result? {
        await attempt { memory in
            inMemory(&memory)
            return true
        } disk: {
            onDisk($0)
        }
    }

    /// Changes both tiers unless one of `scopes` was invalidated since `generation`.
    ///
    /// - Parameter undo: Takes back the change in memory where the disk knows of an invalidation by another process.
    /// - Returns: The outcome on disk; `.stored` where there is memory only.
    package func change(
        since generation: CacheGeneration?, of scopes: GenerationScopes, _ inMemory: (inout Memory) -> Void,
        undo: (inout Memory) -> Void,
        disk onDisk: @escaping @Sendable (DiskTier, SharedGeneration?) -> DiskTier.Storing
    ) async -> DiskTier.Storing {
        let condition = generation.map { SharedGeneration(scopes: scopes, number: $0.shared) }
        var isOutdated = false
        let result = await attempt { memory in
            isOutdated = generation.map { $0.local != memory.generation(of: scopes) } ?? false
            if !isOutdated { inMemory(&memory) }
            return !isOutdated
        } disk: {
            onDisk($0, condition)
        }
        if isOutdated { return .outdated }
        if result == .outdated { memory.withLock { undo(&$0) } }
        return result ?? .stored
    }

    /// - Parameter inMemory: Says whether the disk is to be changed too.
    private func attempt<Result: Sendable>(
        _ inMemory: (inout Memory) -> Bool, disk onDisk: @escaping @Sendable (DiskTier) -> Result
    ) async -> Result? {
        guard let disk else {
            memory.withLock { _ = inMemory(&$0) }
            return nil
        }
        return await withCheckedContinuation { continuation in
            memory.withLock { memory in
                guard inMemory(&memory) else { return continuation.resume(returning: nil) }
                memory.begin()
                disk.change { tier in
                    let result = onDisk(tier)
                    self.memory.withLock { $0.end() }
                    continuation.resume(returning: result)
                }
            }
        }
    }

    // MARK: - Sharing

    /// The generation of `scopes`. Read it before a fetch begins.
    package func generation(of scopes: GenerationScopes) async -> CacheGeneration {
        let local = memory.withLock { $0.generation(of: scopes) }
        return CacheGeneration(local: local, shared: await disk?.reading { $0.generation(of: scopes) })
    }

    /// A fetch of an earlier generation is void, so its lease keeps no caller of a later one waiting.
    package func acquireLease(_ key: KeyDigest, in generation: CacheGeneration) async -> Bool {
        let name = key.lease(in: generation)
        return await onDisk { $0.acquireLease(name) } ?? true
    }

    package func releaseLease(_ key: KeyDigest, in generation: CacheGeneration) async {
        let name = key.lease(in: generation)
        _ = await onDisk { $0.releaseLease(name) }
    }

    private func onDisk<Result: Sendable>(_ body: @escaping @Sendable (DiskTier) -> Result) async -> Result? {
        guard let disk else { return nil }
        return await withCheckedContinuation { continuation in
            disk.change { continuation.resume(returning: body($0)) }
        }
    }

    // MARK: - The store as a whole

    /// Removes everything from memory and disk.
    ///
    /// - Throws: `.storage` when the disk cannot do it.
    package func clear() async throws(DomainError) {
        let result = await change {
            $0.invalidateEverything()
            $0.values.removeAll()
        } disk: { disk in
            Result { () throws(DomainError) in try disk.clear() }
        }
        try result?.get()
    }

    /// Like `clear`; a failure is only logged.
    package func removeAll() async {
        do { try await clear() } catch { logger.warning("the cache was not cleared", metadata: ["reason": "\(error)"]) }
    }

    /// Takes over new limits at once and removes what exceeds them.
    package func resize(to limits: CacheLimits) async {
        bounds.withLock { $0 = limits }
        await change {
            $0.values.resize(entryLimit: limits.memoryEntries, costLimit: limits.memoryBytes)
        } disk: {
            $0.resize(to: limits.diskBytes)
        }
    }

    /// Entries and bytes of both tiers.
    package func stats() async -> CacheStats {
        let disk = await disk?.reading { $0.usage() }
        let (entries, bytes) = memory.withLock { ($0.values.count, $0.values.cost) }
        let limits = limits
        return CacheStats(
            entries: disk?.entries ?? entries, bytes: disk?.bytes ?? bytes,
            limit: disk == nil ? limits.memoryBytes : limits.diskBytes, memoryEntries: entries, memoryBytes: bytes,
            path: disk?.path)
    }
}
