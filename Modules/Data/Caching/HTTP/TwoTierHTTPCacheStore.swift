public import FoundationEssentials
public import Logging
import StrataConcurrency
public import StrataDomain
import StrataNetworking

/// Stored responses in memory over stored responses on disk, bounded in entries and bytes.
///
/// On disk keys are digests that carry the principal. Changes reach both tiers in the same order, and each look-up
/// notices what another process changed: what memory holds is compared with the disk then.
public final class TwoTierHTTPCacheStore: HTTPCacheStore {
    private let tiers: TierPair<ResponseMemory>
    private let clock: any WallClock

    /// - Parameters:
    ///   - directory: Where the disk tier lies, an absolute path in the user's cache directory; `nil` for memory only.
    ///     It is made, and opened, on first use.
    ///   - namespace: Names a directory inside it for this cache alone, with a byte limit of its own.
    ///   - tiers: Which of the tiers are used.
    ///   - limits: `memoryEntries` counts keys here, `staleFor` does not matter.
    public convenience init(
        directory: String?, namespace: String = "http", tiers: CacheTiers = .both, limits: CacheLimits = CacheLimits(),
        clock: any WallClock = SystemWallClock(), logger: Logger = Logger(label: "strata.cache.http")
    ) {
        var disk: SQLiteTier?
        if let directory, tiers != .memory {
            disk = SQLiteTier(
                directory: "\(directory)/\(SQLiteTier.folder(of: namespace))", limits: limits, clock: clock,
                logger: logger)
        }
        var limits = limits
        if tiers == .disk { limits.memoryEntries = 0 }
        self.init(disk: disk, limits: limits, clock: clock, logger: logger)
    }

    init(disk: (any DiskTier)?, limits: CacheLimits, clock: any WallClock, logger: Logger) {
        tiers = TierPair(
            memory: ResponseMemory(limits: limits, hasDisk: disk != nil), disk: disk, trustedFor: .zero, limits: limits,
            logger: logger)
        self.clock = clock
    }

    // MARK: - Reads

    public func responses(for key: HTTPCacheKey) async -> [StoredResponse] {
        CacheNotes.current?.note(key: key.digest.text)
        CacheNotes.current?.note(tier: "memory")
        guard let disk = tiers.disk else { return tiers.memory.withLock { $0.group(for: key)?.responses ?? [] } }
        // Looked up before the read: a change after it makes the group one that must be compared.
        let version = disk.version()
        let (held, mark) = tiers.memory.withLock {
            ($0.current(key, version: version, isReady: disk.tier.isReady), $0.changes)
        }
        if let held { return held.responses }
        CacheNotes.current?.note(tier: "disk")
        let items = await disk.read { $0.heads(of: key.digest).compactMap(ResponseGroup.Item.init) }
        if disk.tier.isReady {
            tiers.memory.withLock { $0.promote(ResponseGroup(items, version: version), for: key, mark: mark) }
        }
        return items.map(\.response)
    }

    public func body(of response: StoredResponse, for key: HTTPCacheKey) async -> Data? {
        // An id names one body for ever, so what memory has of a response that is still there is right.
        let (held, mark) = tiers.memory.withLock { ($0.group(for: key), $0.changes) }
        if let body = held?.body(of: response.id) { return body }
        guard let disk = tiers.disk else { return nil }
        CacheNotes.current?.note(tier: "disk")
        let name = RecordName(key.digest, item: response.id)
        let found = if let glanced = glance(name, disk) { glanced } else { await disk.read { $0.body(name) } }
        if let found, held != nil { tiers.memory.withLock { $0.attach(found, to: response.id, key, mark: mark) } }
        return found
    }

    /// Apart from what waits, whose variables do not lie on the stack.
    private func glance(_ name: RecordName, _ disk: DiskAccess) -> Data?? { disk.glance { $0.body(name) } }

    // MARK: - Changes

    @discardableResult
    public func store(
        _ response: StoredResponse, body: Data, for key: HTTPCacheKey, replacing replaced: Set<UUID>, keptUntil: Date,
        tags: Set<String>
    ) async -> Bool {
        let item = ResponseGroup.Item(response: response, body: body, keptUntil: keptUntil, tags: tags)
        let (record, gone) = (item.record, Array(replaced))
        let stored = await tiers.change { memory in
            memory.store(item, for: key, replacing: replaced)
        } disk: {
            $0.store(record, for: key.digest, replacing: gone)
        }
        if stored == true { return true }
        return tiers.memory.withLock { memory in
            // A disk that cannot be used costs the disk tier only.
            if let disk = tiers.disk, !disk.tier.isReady { memory.storeAlone(item, for: key, replacing: replaced) }
            return memory.group(for: key)?.body(of: response.id) != nil
        }
    }

    public func update(_ response: StoredResponse, for key: HTTPCacheKey, keptUntil: Date) async {
        let name = RecordName(key.digest, item: response.id)
        let head = response.encoded
        await tiers.change {
            $0.change(key) { $0.update(response, keptUntil: keptUntil) }
        } disk: {
            $0.update(name, head: head, keptUntil: keptUntil, isLasting: response.isInvalidated)
        }
    }

    public func remove(_ ids: Set<UUID>, for key: HTTPCacheKey) async {
        let names = ids.map { RecordName(key.digest, item: $0) }
        await tiers.change {
            $0.change(key) { $0.remove { ids.contains($0.response.id) } }
        } disk: {
            $0.remove(names)
        }
    }

    public func removeAll(for key: HTTPCacheKey) async {
        await tiers.change {
            $0.remove(key)
        } disk: {
            $0.removeAll(of: key.digest)
        }
    }

    public func removeAll(tagged tag: String) async {
        await tiers.change {
            $0.removeItems { $0.tags.contains(tag) }
        } disk: {
            $0.removeAll(tagged: tag)
        }
    }

    /// Like `clear`, with a failure only logged.
    public func removeAll() async { await tiers.removeAll() }

    public func removeExpired() async {
        let now = clock.now
        await tiers.change {
            $0.removeItems { now >= $0.keptUntil }
        } disk: {
            $0.removeExpired()
        }
    }

    /// Removes everything from memory and disk, also what lies in free pages and logs.
    ///
    /// - Throws: `.storage` when the disk cannot do it.
    public func clear() async throws(DomainError) { try await tiers.clear() }

    /// Takes over new limits at once: what is too much goes from memory and disk.
    public func resize(to limits: CacheLimits) async { await tiers.resize(to: limits) }

    /// What the store holds now; entries in memory are keys, on disk responses.
    public func stats() async -> CacheStats { await tiers.stats() }
}

extension ResponseGroup.Item {
    /// Of a record without its body; `nil` when it is none.
    init?(_ record: DiskRecord) {
        guard let id = record.item, let response = try? StoredResponse(id: id, encoded: record.head) else {
            return nil
        }
        self.init(response: response, body: nil, keptUntil: record.keptUntil, tags: record.tags)
    }

    var record: DiskRecord {
        DiskRecord(
            item: response.id, head: response.encoded, body: body ?? Data(), keptUntil: keptUntil, tags: tags)
    }
}
