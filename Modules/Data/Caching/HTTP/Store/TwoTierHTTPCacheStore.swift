public import FoundationEssentials
public import Logging
import StrataConcurrency
public import StrataDomain
import StrataNetworking

/// Stored responses in memory over stored responses on disk, bounded in entries and bytes.
///
/// On disk keys are digests that include the principal. Each look-up notices a change by another process.
public final class TwoTierHTTPCacheStore: HTTPCacheStore, CacheMaintenance {
    private let tiers: TieredStore<HTTPCacheKey, ResponseGroup>
    private let clock: any WallClock
    public let isShared: Bool

    /// - Parameters:
    ///   - directory: An absolute path in the user's cache directory; `nil` for memory only. It is made, and the file in it
    ///     opened, on first use.
    ///   - namespace: Names a directory inside it for this cache alone, with a byte limit of its own.
    ///   - tiers: Which of the tiers are used.
    ///   - isShared: Whether one process asks the origin for all that use the directory. It costs two writes a request.
    ///   - limits: `memoryEntries` counts keys here; `staleFor` has no effect.
    public init(
        directory: String?, namespace: String = "http", tiers: CacheTiers = .both, isShared: Bool = true,
        limits: CacheLimits = CacheLimits(), clock: any WallClock = SystemWallClock(),
        logger: Logger = Logger(label: "strata.cache.http")
    ) {
        var disk: DiskTier?
        if let directory, tiers != .memory {
            disk = DiskTier(
                directory, namespace: namespace, limit: limits.diskBytes, clock: clock, logger: logger)
        }
        var limits = limits
        if tiers == .disk { limits.memoryEntries = 0 }
        self.tiers = TieredStore(disk: disk, limits: limits, logger: logger)
        self.clock = clock
        self.isShared = isShared && disk != nil
    }

    private var isOverDisk: Bool { tiers.disk != nil }

    // MARK: - Reads

    public func responses(for key: HTTPCacheKey) async -> [StoredResponse] {
        CacheNotes.current?.note(key: key.digest.text)
        CacheNotes.current?.note(tier: "memory")
        // Looked up before the read: a change after it makes the group one that must be read again.
        let version = tiers.disk?.version()
        let (held, isPending, mark) = tiers.memory.withLock { ($0.values.value(for: key), $0.pending > 0, $0.changes) }
        if let held, version == nil || held.version == version || isPending { return held.responses }
        guard let disk = tiers.disk else { return [] }
        CacheNotes.current?.note(tier: "disk")
        let digest = key.digest
        let items = await disk.reading { $0.heads(of: digest).compactMap(ResponseGroup.Item.init) }
        if let version, disk.isOpen {
            tiers.memory.withLock { $0.promote(ResponseGroup(items, version: version), for: key, mark: mark) }
        }
        return items.map(\.response)
    }

    public func body(of response: StoredResponse, for key: HTTPCacheKey) async -> Data? {
        // An id names one body for ever, so the body in memory is right where the response is still there.
        let (held, mark) = tiers.memory.withLock { ($0.values.value(for: key), $0.changes) }
        if let body = held?.body(of: response.id) { return body }
        guard let disk = tiers.disk else { return nil }
        CacheNotes.current?.note(tier: "disk")
        let (digest, id) = (key.digest, response.id)
        let found = await disk.reading { $0.body(digest, id) }
        if let found, held != nil { tiers.memory.withLock { $0.attach(found, to: id, key, mark: mark) } }
        return found
    }

    // MARK: - Changes

    @discardableResult
    public func store(
        _ response: StoredResponse, body: Data, for key: HTTPCacheKey, replacing replaced: Set<UUID>, keptUntil: Date,
        tags: Set<String>, since generation: HTTPCacheGeneration?
    ) async -> Bool {
        let item = ResponseGroup.Item(response: response, body: body, keptUntil: keptUntil, tags: tags)
        let (record, gone, digest, isOverDisk) = (item.record, Array(replaced), key.digest, isOverDisk)
        let result = await tiers.change(since: generation?.generation, of: Self.scopes(generation)) {
            $0.store(item, for: key, replacing: replaced, isOverDisk: isOverDisk)
        } undo: {
            $0.values.remove(key)
        } disk: {
            $0.store(record, for: digest, replacing: gone, if: $1)
        }
        if result == .outdated { return false }
        if result == .stored, isOverDisk { return true }
        return tiers.memory.withLock { memory in
            // A disk that cannot be used costs the disk tier only.
            if let disk = tiers.disk, !disk.isOpen {
                memory.store(item, for: key, replacing: replaced, isOverDisk: false)
            }
            return memory.values.value(for: key)?.body(of: response.id) != nil
        }
    }

    @discardableResult
    public func update(
        _ response: StoredResponse, for key: HTTPCacheKey, keptUntil: Date, since generation: HTTPCacheGeneration?
    ) async -> Bool {
        let (head, digest, isOverDisk) = (response.json, key.digest, isOverDisk)
        let result = await tiers.change(since: generation?.generation, of: Self.scopes(generation)) {
            $0.change(key, isOverDisk: isOverDisk) { $0.update(response, keptUntil: keptUntil) }
        } undo: {
            $0.values.remove(key)
        } disk: {
            $0.update(digest, response.id, head: head, keptUntil: keptUntil, if: $1)
        }
        return result != .outdated
    }

    public func remove(_ ids: Set<UUID>, for key: HTTPCacheKey) async {
        let (digest, isOverDisk) = (key.digest, isOverDisk)
        await tiers.change {
            $0.change(key, isOverDisk: isOverDisk) { $0.remove { ids.contains($0.response.id) } }
        } disk: {
            $0.remove(digest, Array(ids))
        }
    }

    public func removeAll(for key: HTTPCacheKey) async {
        let digest = key.digest
        await tiers.change {
            $0.values.remove(key)
        } disk: {
            $0.removeAll(of: digest)
        }
    }

    public func removeAll(tagged tag: String) async {
        let (scopes, isOverDisk) = (GenerationScopes([tag]), isOverDisk)
        await tiers.change {
            $0.invalidate(scopes)
            $0.removeItems(isOverDisk: isOverDisk) { $0.tags.contains(tag) }
        } disk: {
            $0.invalidate(scopes) { try RecordTable.removeAll(tagged: tag, in: $0) }
        }
    }

    /// Like `clear`; a failure is only logged.
    public func removeAll() async { await tiers.removeAll() }

    public func removeExpired() async {
        let (now, isOverDisk) = (clock.now, isOverDisk)
        await tiers.change {
            $0.removeItems(isOverDisk: isOverDisk) { now >= $0.keptUntil }
        } disk: {
            $0.removeExpired()
        }
    }

    /// Removes everything from memory and disk.
    ///
    /// - Throws: `.storage` when the disk cannot do it.
    public func clear() async throws(DomainError) { try await tiers.clear() }

    /// Takes over new limits at once and removes what exceeds them.
    public func resize(to limits: CacheLimits) async { await tiers.resize(to: limits) }

    /// Entries in memory are keys, on disk responses.
    public func stats() async -> CacheStats { await tiers.stats() }

    // MARK: - Sharing

    public func generation(of names: Set<String>) async -> HTTPCacheGeneration {
        HTTPCacheGeneration(of: names, await tiers.generation(of: GenerationScopes(names)))
    }

    public func invalidate(_ name: String) async {
        let scopes = GenerationScopes([name])
        await tiers.change {
            $0.invalidate(scopes)
        } disk: {
            $0.invalidate(scopes)
        }
    }

    public func acquireLease(for key: HTTPCacheKey, in generation: CacheGeneration) async -> Bool {
        await tiers.acquireLease(key.digest, in: generation)
    }

    public func releaseLease(for key: HTTPCacheKey, in generation: CacheGeneration) async {
        await tiers.releaseLease(key.digest, in: generation)
    }

    private static func scopes(_ generation: HTTPCacheGeneration?) -> GenerationScopes {
        GenerationScopes(generation?.names ?? [])
    }
}

extension StoredResponse {
    fileprivate var json: Data { (try? JSONEncoder().encode(self)) ?? Data() }
}

extension ResponseGroup.Item {
    /// Of a record without its body; `nil` when the record holds no response.
    init?(_ record: DiskRecord) {
        guard let response = try? JSONDecoder().decode(StoredResponse.self, from: record.head),
            response.id == record.item
        else { return nil }
        self.init(response: response, body: nil, keptUntil: record.keptUntil, tags: record.tags)
    }

    var record: DiskRecord {
        DiskRecord(
            item: response.id, head: response.json, body: body ?? Data(), keptUntil: keptUntil, tags: tags)
    }
}
