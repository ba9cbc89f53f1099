import Dispatch
import FoundationEssentials
public import Logging
public import StrataDomain
import Synchronization

/// A response cache with decoded values in memory over entries on disk.
///
/// A disk hit moves to memory. Changes reach both tiers in the same order, so that an invalidation can never be
/// overtaken by an older value. Invalidations of other processes are seen on disk, but not for values this process
/// already holds in memory; those end with their lifetime.
public final class TwoTierCache: ResponseCache, CacheMaintenance {
    private let memory: Mutex<MemoryTier>
    private let disk: (any DiskTier)?
    private let queue = DispatchQueue(label: "strata.cache.disk")
    private let limits: CacheLimits
    private let clock: any WallClock
    private let logger: Logger

    /// - Parameters:
    ///   - directory: Where the disk tier lies, an absolute path in the user's cache directory; `nil` for memory only.
    ///     It is made, and opened, on first use.
    ///   - namespace: Names a directory inside it for this cache alone.
    public convenience init(
        directory: String?, namespace: String = "responses", limits: CacheLimits = CacheLimits(),
        clock: any WallClock = SystemWallClock(), logger: Logger = Logger(label: "strata.cache")
    ) {
        let disk = directory.map { directory in
            SQLiteTier(directory: "\(directory)/\(Self.folder(of: namespace))", limits: limits, logger: logger)
        }
        self.init(disk: disk, limits: limits, clock: clock, logger: logger)
    }

    init(disk: (any DiskTier)?, limits: CacheLimits, clock: any WallClock, logger: Logger) {
        memory = Mutex(MemoryTier(limits: limits))
        self.disk = disk
        self.limits = limits
        self.clock = clock
        self.logger = logger
    }

    public func value<Value: Codable & Sendable>(_ type: Value.Type, for key: CacheKey) async -> CachedValue<Value>? {
        let (held, mark) = memory.withLock { ($0.entry(for: key), $0.changes) }
        if let held {
            guard held.type == ObjectIdentifier(type), let value = held.value as? Value else { return nil }
            return cached(value, held.span)
        }
        guard let entry = await stored(key), entry.type == Self.name(of: type), !entry.span.isOver(at: clock.now) else {
            return nil
        }
        guard let value = try? await Self.decode(type, from: entry.payload) else {
            logger.info("a cached value no longer fits its type", metadata: ["type": "\(type)"])
            return nil
        }
        let promoted = MemoryTier.Entry(
            value: value, type: ObjectIdentifier(type), span: entry.span, tags: Set(entry.tags))
        memory.withLock { $0.promote(promoted, for: key, bytes: entry.payload.count, mark: mark) }
        return cached(value, entry.span)
    }

    /// A value that cannot be encoded is not kept, and neither is what it was to replace.
    public func store<Value: Codable & Sendable>(
        _ value: Value, for key: CacheKey, lifetime: Duration, tags: Set<String>
    ) async {
        guard let payload = try? await Self.encode(value) else {
            logger.warning("a value cannot be cached because it has no JSON", metadata: ["type": "\(Value.self)"])
            return await remove(key)
        }
        let now = clock.now
        let span = EntrySpan(storedAt: now, lifetime: lifetime, staleFor: limits.staleFor)
        let held = MemoryTier.Entry(value: value, type: ObjectIdentifier(Value.self), span: span, tags: tags)
        let entry = StoredEntry(type: Self.name(of: Value.self), span: span, tags: tags.sorted(), payload: payload)
        let digest = KeyDigest(key)
        await change {
            $0.store(held, for: key, bytes: payload.count)
        } disk: {
            $0.store(entry, for: digest, now: now)
        }
    }

    public func remove(_ key: CacheKey) async {
        let digest = KeyDigest(key)
        await change {
            $0.remove(key)
        } disk: {
            $0.remove(digest)
        }
    }

    public func removeAll(tagged tag: String) async {
        await change {
            $0.removeAll(tagged: tag)
        } disk: {
            $0.removeAll(tagged: tag)
        }
    }

    /// Like `clear`, with a failure only logged.
    public func removeAll() async {
        do { try await clear() } catch { logger.warning("the cache was not cleared", metadata: ["reason": "\(error)"]) }
    }

    public func removeExpired() async {
        let now = clock.now
        await change {
            $0.removeExpired(at: now)
        } disk: {
            $0.removeExpired(at: now)
        }
    }

    /// Removes everything from memory and disk, also what lies in free pages and logs.
    ///
    /// - Throws: `.storage` when the disk cannot do it.
    public func clear() async throws(DomainError) {
        let result = await change {
            $0.removeAll()
        } disk: { disk in
            Result { () throws(DomainError) in try disk.clear() }
        }
        try result?.get()
    }

    /// What the cache holds now.
    public func stats() async -> CacheStats {
        let disk = await change { _ in
        } disk: {
            $0.usage()
        }
        let (entries, bytes) = memory.withLock { ($0.count, $0.bytes) }
        return CacheStats(
            entries: disk?.entries ?? entries, bytes: disk?.bytes ?? bytes,
            limit: disk == nil ? limits.memoryBytes : limits.diskBytes, memoryEntries: entries, memoryBytes: bytes,
            path: disk?.path)
    }

    // MARK: - Tiers

    /// Changes memory and queues the same change for the disk in one step; returns when the disk has done it.
    @discardableResult
    private func change<Result: Sendable>(
        _ inMemory: (inout MemoryTier) -> Void, disk onDisk: @escaping @Sendable (any DiskTier) -> Result
    ) async -> Result? {
        guard let disk else {
            memory.withLock { inMemory(&$0) }
            return nil
        }
        return await withCheckedContinuation { continuation in
            memory.withLock { memory in
                inMemory(&memory)
                queue.async { continuation.resume(returning: onDisk(disk)) }
            }
        }
    }

    private func stored(_ key: CacheKey) async -> StoredEntry? {
        guard let disk else { return nil }
        let digest = KeyDigest(key)
        return await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: disk.entry(for: digest)) }
        }
    }

    private func cached<Value>(_ value: Value, _ span: EntrySpan) -> CachedValue<Value>? {
        guard !span.isOver(at: clock.now) else { return nil }
        return CachedValue(value: value, storedAt: span.storedAt, freshUntil: span.freshUntil)
    }

    /// Counts changes in memory, those on their way to the disk included.
    var changes: Int { memory.withLock { $0.changes } }

    /// One component of a path, whatever the namespace is.
    private static func folder(of namespace: String) -> String {
        let name = PercentEncoding.encode(namespace)
        return name.isEmpty || name.hasPrefix(".") ? "%" + name : name
    }

    // MARK: - Values

    private static func name<Value>(of type: Value.Type) -> String { String(describing: type) }

    /// Off the caller's actor: a long list takes tens of milliseconds.
    @concurrent
    private static func encode<Value: Encodable & Sendable>(_ value: Value) async throws -> Data {
        try JSONEncoder().encode(value)
    }

    /// Off the caller's actor, for the same reason.
    @concurrent
    private static func decode<Value: Decodable & Sendable>(_ type: Value.Type, from bytes: Data) async throws -> Value
    {
        try JSONDecoder().decode(type, from: bytes)
    }
}
