import Dispatch
import FoundationEssentials
public import Logging
import StrataConcurrency
public import StrataDomain

import struct Synchronization.Atomic

/// A response cache with decoded values in memory over entries on disk.
///
/// A disk hit moves to memory. A change by another process is seen at once on disk, and within 50 ms where this process
/// holds the value in memory.
public final class TwoTierCache: ResponseCache, CacheMaintenance {
    private struct Entry: Sendable {
        /// A `CachedValue`.
        let value: any Sendable
        let span: EntrySpan
        let tags: Set<String>
        /// The version of the disk at which the value was read there; `nil` after a change by this process.
        let version: Int?

        init<Value: Sendable>(
            _ value: Value, _ span: EntrySpan, _ tags: Set<String>, version: Int? = nil
        ) {
            self.value = CachedValue(value: value, storedAt: span.storedAt, freshUntil: span.freshUntil)
            (self.span, self.tags, self.version) = (span, tags, version)
        }
    }

    private let tiers: TieredStore<CacheKey, Entry>
    let clock: any WallClock
    private let logger: Logger
    /// Monotonic nanoseconds of the next look at the version of the disk, and the version of the last one.
    private let nextLook = Atomic<UInt64>(0)
    private let lastVersion = Atomic<Int>(0)

    private static let trustedNanoseconds: UInt64 = 50_000_000

    /// - Parameters:
    ///   - directory: An absolute path in the user's cache directory; `nil` for memory only. It is made, and the file in it
    ///     opened, on first use.
    ///   - namespace: Names a directory inside it for this cache alone.
    public init(
        directory: String?, namespace: String = "responses", limits: CacheLimits = CacheLimits(),
        clock: any WallClock = SystemWallClock(), logger: Logger = Logger(label: "strata.cache")
    ) {
        let disk = directory.map { directory in
            DiskTier(directory, namespace: namespace, limit: limits.diskBytes, clock: clock, logger: logger)
        }
        tiers = TieredStore(disk: disk, limits: limits, logger: logger)
        self.clock = clock
        self.logger = logger
    }

    // MARK: - Reads

    public func value<Value: Codable & Sendable>(_ type: Value.Type, for key: CacheKey) async -> CachedValue<Value>? {
        let version = version()
        let (entry, isPending) = tiers.memory.withLock { ($0.values.value(for: key), $0.pending > 0) }
        guard let entry else { return await valueOnDisk(type, key, version) }
        if version != nil, entry.version != version, !isPending { return await valueOnDisk(type, key, version) }
        return entry.span.isOver(at: clock.now) ? nil : entry.value as? CachedValue<Value>
    }

    /// The value of `key` on disk, of any type; `nil` when there is none that may be used.
    public func explain(_ key: CacheKey) async -> CacheExplanation.ExplainedValue? {
        let digest = KeyDigest(key)
        let now = clock.now
        guard let record = await tiers.disk?.reading({ $0.record(digest) }), let entry = StoredEntry(record),
            !entry.span.isOver(at: now)
        else { return nil }
        let span = entry.span
        return CacheExplanation.ExplainedValue(
            type: entry.type, bytes: entry.payload.count, storedAt: span.storedAt, freshUntil: span.freshUntil,
            keptUntil: span.keptUntil, isFresh: now < span.freshUntil && span.storedAt <= now,
            tags: entry.tags.sorted(), etags: entry.entityTags)
    }

    /// The version of the disk, looked up at most every 50 ms; `nil` where there is no disk that can be used.
    private func version() -> Int? {
        guard let disk = tiers.disk else { return nil }
        let now = DispatchTime.now().uptimeNanoseconds
        if now < nextLook.load(ordering: .relaxed) { return lastVersion.load(ordering: .relaxed) }
        guard let version = disk.version() else { return nil }
        lastVersion.store(version, ordering: .relaxed)
        nextLook.store(now + Self.trustedNanoseconds, ordering: .relaxed)
        return version
    }

    /// Reads from disk and promotes the value to memory.
    private func valueOnDisk<Value: Codable & Sendable>(
        _ type: Value.Type, _ key: CacheKey, _ version: Int?
    ) async -> CachedValue<Value>? {
        guard let disk = tiers.disk else { return nil }
        let digest = KeyDigest(key)
        let mark = tiers.memory.withLock { $0.changes }
        guard let record = await disk.reading({ $0.record(digest) }), let entry = StoredEntry(record),
            entry.type == Self.name(of: type), !entry.span.isOver(at: clock.now)
        else { return nil }
        guard let value = try? await Self.decode(type, from: entry.payload) else {
            logger.info("a cached value no longer fits its type", metadata: ["type": "\(type)"])
            return nil
        }
        let held = Entry(value, entry.span, entry.tags, version: version)
        tiers.memory.withLock { memory in
            guard memory.isUnchanged(since: mark) else { return }
            memory.values.insert(held, for: key, cost: entry.payload.count)
        }
        return CachedValue(value: value, storedAt: entry.span.storedAt, freshUntil: entry.span.freshUntil)
    }

    // MARK: - Changes

    /// A value that cannot be encoded is not stored, and the one before it is removed.
    @discardableResult
    public func store<Value: Codable & Sendable>(
        _ value: Value, for key: CacheKey, lifetime: Duration, tags: Set<String>, since generation: CacheGeneration?
    ) async -> Bool {
        guard let payload = try? await Self.encode(value) else {
            logger.warning("a value cannot be cached because it has no JSON", metadata: ["type": "\(Value.self)"])
            await remove(key)
            return true
        }
        let span = EntrySpan(storedAt: clock.now, lifetime: lifetime, staleFor: tiers.limits.staleFor)
        let record = StoredEntry(type: Self.name(of: Value.self), span: span, tags: tags, payload: payload).record
        let digest = KeyDigest(key)
        let own = GenerationScopes([key.scope])
        let held = Entry(value, span, tags)
        let result = await tiers.change(since: generation, of: key.scopes(tags)) { memory in
            if generation == nil { memory.invalidate(own) }
            memory.values.insert(held, for: key, cost: payload.count)
        } undo: { memory in
            memory.values.remove(key)
        } disk: { disk, condition in
            if condition == nil { disk.invalidate(own) }
            return disk.store(record, for: digest, replacing: [], if: condition)
        }
        return result != .outdated
    }

    /// Writes the times of the value, and none of its bytes.
    @discardableResult
    public func confirm<Value: Codable & Sendable>(
        _ value: CachedValue<Value>, for key: CacheKey, lifetime: Duration, tags: Set<String>,
        since generation: CacheGeneration
    ) async -> Bool {
        let span = EntrySpan(storedAt: clock.now, lifetime: lifetime, staleFor: tiers.limits.staleFor)
        let type = Self.name(of: Value.self)
        let old = StoredEntry.head(type, value.storedAt, value.freshUntil)
        let head = StoredEntry.head(type, span.storedAt, span.freshUntil)
        let digest = KeyDigest(key)
        let result = await tiers.change(since: generation, of: key.scopes(tags)) { memory in
            memory.values.update(key) { held in
                guard held.span.storedAt == value.storedAt, held.span.freshUntil == value.freshUntil else { return }
                held = Entry(value.value, span, held.tags)
            }
        } undo: { memory in
            memory.values.remove(key)
        } disk: { disk, condition in
            disk.update(digest, replacing: old, head: head, keptUntil: span.keptUntil, if: condition)
        }
        return result != .outdated
    }

    public func remove(_ key: CacheKey) async {
        let (digest, scopes) = (KeyDigest(key), GenerationScopes([key.scope]))
        await tiers.change {
            $0.invalidate(scopes)
            $0.values.remove(key)
        } disk: {
            $0.invalidate(scopes) { try RecordTable.remove(digest, nil, in: $0) }
        }
    }

    public func removeAll(tagged tag: String) async {
        let scopes = GenerationScopes([CacheKey.scope(ofTag: tag)])
        await tiers.change {
            $0.invalidate(scopes)
            $0.values.removeAll { $0.tags.contains(tag) }
        } disk: {
            $0.invalidate(scopes) { try RecordTable.removeAll(tagged: tag, in: $0) }
        }
    }

    public func removeExpired() async {
        let now = clock.now
        await tiers.change {
            $0.values.removeAll { $0.span.isOver(at: now) }
        } disk: {
            $0.removeExpired()
        }
    }

    /// Like `clear`; a failure is only logged.
    public func removeAll() async { await tiers.removeAll() }

    /// Removes everything from memory and disk.
    ///
    /// - Throws: `.storage` when the disk cannot do it.
    public func clear() async throws(DomainError) { try await tiers.clear() }

    /// Takes over new limits at once and removes what exceeds them.
    ///
    /// - Parameter limits: `staleFor` counts for what is stored from now on.
    public func resize(to limits: CacheLimits) async { await tiers.resize(to: limits) }

    public func stats() async -> CacheStats { await tiers.stats() }

    // MARK: - Sharing

    public func generation(of key: CacheKey, tags: Set<String>) async -> CacheGeneration {
        await tiers.generation(of: key.scopes(tags))
    }

    public func acquireLease(for key: CacheKey, in generation: CacheGeneration) async -> Bool {
        await tiers.acquireLease(KeyDigest(key), in: generation)
    }

    public func releaseLease(for key: CacheKey, in generation: CacheGeneration) async {
        await tiers.releaseLease(KeyDigest(key), in: generation)
    }

    // MARK: - Values

    private static func name(of type: Any.Type) -> String { "\(type)" }

    /// Off the caller's actor: a long list takes tens of milliseconds.
    @concurrent
    private static func encode<Value: Encodable & Sendable>(_ value: Value) async throws -> Data {
        try JSONEncoder().encode(value)
    }

    /// Off the caller's actor, for the same reason.
    @concurrent
    private static func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from bytes: Data
    ) async throws -> Value {
        try JSONDecoder().decode(type, from: bytes)
    }
}

extension CacheKey {
    /// Names the key among the scopes of generations.
    fileprivate var scope: String { "key \(text)" }

    fileprivate static func scope(ofTag tag: String) -> String { "tag \(tag)" }

    /// The scopes that invalidate a value of this key.
    fileprivate func scopes(_ tags: Set<String>) -> GenerationScopes {
        GenerationScopes(tags.map { Self.scope(ofTag: $0) } + [scope])
    }
}
