import FoundationEssentials
public import Logging
import StrataConcurrency
public import StrataDomain

/// A response cache with decoded values in memory over entries on disk.
///
/// A disk hit moves to memory. Changes reach both tiers in the same order, so that an invalidation can never be
/// overtaken by an older value. What another process changes is seen at once on disk, and within a twentieth of a
/// second where this process holds the value in memory.
public final class TwoTierCache: ResponseCache, CacheMaintenance {
    private let tiers: TierPair<MemoryTier>
    let clock: any WallClock
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
            SQLiteTier(
                directory: "\(directory)/\(SQLiteTier.folder(of: namespace))", limits: limits, clock: clock,
                logger: logger)
        }
        self.init(disk: disk, limits: limits, clock: clock, logger: logger)
    }

    init(
        disk: (any DiskTier)?, trustedFor: Duration = .milliseconds(50), limits: CacheLimits, clock: any WallClock,
        logger: Logger
    ) {
        tiers = TierPair(
            memory: MemoryTier(limits: limits), disk: disk, trustedFor: trustedFor, limits: limits, logger: logger)
        self.clock = clock
        self.logger = logger
    }

    public func value<Value: Codable & Sendable>(_ type: Value.Type, for key: CacheKey) async -> CachedValue<Value>? {
        let version = disk?.version() ?? 0
        let held = tiers.memory.withLock { $0.entry(for: key, version: version) }
        if let held {
            if let disk, !held.isCurrent, await isOutdated(held.content, key, disk, version) {
                return await stored(type, key, disk)
            }
            return held.content.span.isOver(at: clock.now) ? nil : held.content.answer(type)
        }
        guard let disk else { return nil }
        return await stored(type, key, disk)
    }

    /// A value that cannot be encoded is not kept, and neither is what it was to replace.
    public func store<Value: Codable & Sendable>(
        _ value: Value, for key: CacheKey, lifetime: Duration, tags: Set<String>
    ) async {
        guard let payload = try? await Self.encode(value) else {
            logger.warning("a value cannot be cached because it has no JSON", metadata: ["type": "\(Value.self)"])
            return await remove(key)
        }
        let span = EntrySpan(storedAt: clock.now, lifetime: lifetime, staleFor: tiers.limits.staleFor)
        let entry = StoredEntry(type: Self.name(of: Value.self), span: span, tags: tags, payload: payload)
        let (digest, record) = (KeyDigest(key), entry.record)
        let held = MemoryTier.Entry(
            content: HeldContent(value, span: span, tags: tags, stamp: record.stamp(for: digest)))
        await tiers.change {
            $0.store(held, for: key, bytes: payload.count)
        } disk: {
            _ = $0.store(record, for: digest, replacing: [])
        }
    }

    public func remove(_ key: CacheKey) async {
        let digest = KeyDigest(key)
        await tiers.change {
            $0.remove(key)
        } disk: {
            $0.remove([RecordName(digest)])
        }
    }

    public func removeAll(tagged tag: String) async {
        await tiers.change {
            $0.removeAll(tagged: tag)
        } disk: {
            $0.removeAll(tagged: tag)
        }
    }

    /// Like `clear`, with a failure only logged.
    public func removeAll() async { await tiers.removeAll() }

    public func removeExpired() async {
        let now = clock.now
        await tiers.change {
            $0.removeExpired(at: now)
        } disk: {
            $0.removeExpired()
        }
    }

    /// Removes everything from memory and disk, also what lies in free pages and logs.
    ///
    /// - Throws: `.storage` when the disk cannot do it.
    public func clear() async throws(DomainError) { try await tiers.clear() }

    /// Takes over new limits at once: what is too much goes from memory and disk.
    ///
    /// - Parameter limits: `staleFor` counts for what is stored from now on.
    public func resize(to limits: CacheLimits) async { await tiers.resize(to: limits) }

    /// What the cache holds now.
    public func stats() async -> CacheStats { await tiers.stats() }

    // MARK: - Tiers

    var disk: DiskAccess? { tiers.disk }

    /// Reads from disk, and keeps in memory what is found.
    private func stored<Value: Codable & Sendable>(
        _ type: Value.Type, _ key: CacheKey, _ disk: DiskAccess
    ) async -> CachedValue<Value>? {
        let digest = KeyDigest(key)
        let mark = tiers.memory.withLock { $0.changes }
        // Looked up before the read: a change after it makes the entry one that must be compared.
        let version = disk.version()
        guard let record = await disk.read({ $0.record(RecordName(digest)) }), let entry = StoredEntry(record),
            entry.type == Self.name(of: type), !entry.span.isOver(at: clock.now)
        else { return nil }
        guard let value = try? await Self.decode(type, from: entry.payload) else {
            logger.info("a cached value no longer fits its type", metadata: ["type": "\(type)"])
            return nil
        }
        let content = HeldContent(value, span: entry.span, tags: entry.tags, stamp: record.stamp(for: digest))
        let promoted = MemoryTier.Entry(content: content, version: version)
        tiers.memory.withLock { $0.promote(promoted, for: key, bytes: entry.payload.count, mark: mark) }
        return cached(value, entry.span)
    }

    /// Compares an entry with the one on disk, after something there changed.
    private func isOutdated(_ held: HeldContent, _ key: CacheKey, _ disk: DiskAccess, _ version: Int) async -> Bool {
        let name = RecordName(KeyDigest(key))
        let mark = tiers.memory.withLock { $0.changes }
        guard disk.tier.isReady else { return false }
        let isSame = await disk.read { $0.holds(held.stamp, name) }
        return tiers.memory.withLock { $0.settle(key, held.stamp, isSame: isSame, version: version, mark: mark) }
    }

    private func cached<Value>(_ value: Value, _ span: EntrySpan) -> CachedValue<Value>? {
        guard !span.isOver(at: clock.now) else { return nil }
        return CachedValue(value: value, storedAt: span.storedAt, freshUntil: span.freshUntil)
    }

    /// Counts changes in memory, those on their way to the disk included.
    var changes: Int { tiers.memory.withLock { $0.changes } }

    // MARK: - Values

    /// The overload for any type: the one for any value takes four look-ups in the runtime, on every read from disk.
    private static func name(of type: Any.Type) -> String { "\(type)" }

    private static func decode<Value: Decodable & Sendable>(_ type: Value.Type, from bytes: Data) async throws -> Value
    {
        // The way to another thread and back takes longer than a small value.
        if bytes.count <= 8 << 10 { return try JSONDecoder().decode(type, from: bytes) }
        return try await decodeElsewhere(type, from: bytes)
    }

    /// Off the caller's actor: a long list takes tens of milliseconds.
    @concurrent
    private static func encode<Value: Encodable & Sendable>(_ value: Value) async throws -> Data {
        try JSONEncoder().encode(value)
    }

    /// Off the caller's actor, for the same reason.
    @concurrent
    private static func decodeElsewhere<Value: Decodable & Sendable>(
        _ type: Value.Type, from bytes: Data
    ) async throws -> Value {
        try JSONDecoder().decode(type, from: bytes)
    }
}
