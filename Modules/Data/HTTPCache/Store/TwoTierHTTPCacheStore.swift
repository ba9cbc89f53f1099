public import FoundationEssentials
public import Logging
public import StrataCaching
import StrataConcurrency
public import StrataDomain
import StrataNetworking

/// Stored responses in memory over stored responses on disk, bounded in entries and bytes.
///
/// On disk keys are digests that include the principal. Each look-up notices a change by another process.
public final class TwoTierHTTPCacheStore: HTTPCacheStore, CacheMaintenance {
    private struct BodyName: Hashable {
        let key: HTTPCacheKey
        let id: UUID
    }

    private let tiers: TieredStore<HTTPCacheKey, ResponseGroup>
    /// Bodies in memory. An id names one body for ever, so none is ever out of date.
    private let bodies: Mutex<SieveMap<BodyName, Data>>
    private let clock: any WallClock
    public let isShared: Bool

    /// - Parameters:
    ///   - directory: An absolute path in the user's cache directory; `nil` for memory only. It is made, and the file in it
    ///     opened, on first use.
    ///   - namespace: Names a directory inside it for this cache alone, with a byte limit of its own.
    ///   - tiers: Which of the tiers are used.
    ///   - isShared: Whether one process asks the origin for all that use the directory. It costs two writes a request.
    ///   - limits: `memoryEntries` counts keys here; `staleFor` has no effect. Default: 1000 keys, so that the bytes decide. A
    ///     SIEVE of 50 evicts responses of 20 requests at once before their second use.
    public init(
        directory: String?, namespace: String = "http", tiers: CacheTiers = .both, isShared: Bool = true,
        limits: CacheLimits = CacheLimits(memoryEntries: 1000), clock: any WallClock = SystemWallClock(),
        logger: Logger = Logger(label: "strata.cache.http")
    ) {
        var disk: DiskTier?
        if let directory, tiers != .memory {
            disk = DiskTier(
                directory, namespace: namespace, limit: limits.diskBytes, clock: clock, logger: logger)
        }
        var limits = limits
        if tiers == .disk { limits.memoryEntries = 0 }
        self.tiers = TieredStore(disk: disk, limits: Self.ofHeads(limits), logger: logger)
        bodies = Mutex(SieveMap(entryLimit: 0, costLimit: 0))
        self.clock = clock
        self.isShared = isShared && disk != nil
        limitBodies(to: limits)
    }

    /// Heads get a quarter of the memory, bodies the rest.
    private static func ofHeads(_ limits: CacheLimits) -> CacheLimits {
        var limits = limits
        limits.memoryBytes /= 4
        return limits
    }

    private func limitBodies(to limits: CacheLimits) {
        let most = limits.memoryEntries == 0 ? 0 : .max
        bodies.withLock { $0.resize(entryLimit: most, costLimit: limits.memoryBytes / 4 * 3) }
    }

    private func hold(_ body: Data, of name: BodyName) {
        bodies.withLock { bodies in
            // A larger body stays on disk, so that one cannot push out all others.
            guard body.count <= bodies.costLimit / 3 else { return }
            bodies.insert(body, for: name, cost: body.count + 64)
        }
    }

    private func drop(_ ids: Set<UUID>, of key: HTTPCacheKey) {
        bodies.withLock { bodies in for id in ids { bodies.remove(BodyName(key: key, id: id)) } }
    }

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
            tiers.memory.withLock { memory in
                guard memory.isUnchanged(since: mark) else { return }
                let group = ResponseGroup(items: items, version: version)
                memory.values.insert(group, for: key, cost: group.cost)
            }
        }
        return items.map(\.response)
    }

    public func body(of response: StoredResponse, for key: HTTPCacheKey) async -> Data? {
        let name = BodyName(key: key, id: response.id)
        if let body = bodies.withLock({ $0.value(for: name) }) { return body }
        guard let disk = tiers.disk else { return nil }
        CacheNotes.current?.note(tier: "disk")
        let (digest, id) = (key.digest, response.id)
        let body = await disk.reading { $0.body(digest, id) }
        if let body { hold(body, of: name) }
        return body
    }

    // MARK: - Changes

    @discardableResult
    public func store(
        _ response: StoredResponse, body: Data, for key: HTTPCacheKey, replacing replaced: Set<UUID>, keptUntil: Date,
        tags: Set<String>, since generation: HTTPCacheGeneration?
    ) async -> Bool {
        let item = ResponseGroup.Item(response: response, keptUntil: keptUntil, tags: tags)
        let record = DiskRecord(
            item: response.id, head: response.json, body: body, keptUntil: keptUntil, tags: tags)
        let (gone, digest, isOverDisk) = (Array(replaced), key.digest, tiers.disk != nil)
        let put: @Sendable (inout ResponseGroup) -> Void = { group in
            group.items.removeAll { replaced.contains($0.response.id) || $0.response.id == response.id }
            group.items.insert(item, at: 0)
        }
        let name = BodyName(key: key, id: response.id)
        hold(body, of: name)
        let result = await tiers.change(since: generation?.generation, of: Self.scopes(generation)) { memory in
            // With a disk below, a group in memory has all responses of its key; one that is not there is read as a whole.
            if !isOverDisk, memory.values.peek(key) == nil { memory.values.insert(ResponseGroup(), for: key, cost: 0) }
            memory.change(key, put)
        } undo: {
            $0.values.remove(key)
        } disk: {
            $0.store(record, for: digest, replacing: gone, if: $1)
        }
        drop(result == .outdated ? [response.id] : replaced, of: key)
        if result == .outdated { return false }
        if result == .stored, isOverDisk { return true }
        guard bodies.withLock({ $0.peek(name) }) != nil else {
            tiers.memory.withLock { $0.change(key) { $0.items.removeAll { $0.response.id == response.id } } }
            return false
        }
        return tiers.memory.withLock { memory in
            // A disk that cannot be used costs the disk tier only.
            if let disk = tiers.disk, !disk.isOpen, memory.values.peek(key) == nil {
                memory.values.insert(ResponseGroup(), for: key, cost: 0)
                memory.change(key, put)
            }
            return memory.values.peek(key)?.items.contains { $0.response.id == response.id } == true
        }
    }

    @discardableResult
    public func update(
        _ response: StoredResponse, for key: HTTPCacheKey, keptUntil: Date, since generation: HTTPCacheGeneration?
    ) async -> Bool {
        let (head, digest) = (response.json, key.digest)
        let result = await tiers.change(since: generation?.generation, of: Self.scopes(generation)) {
            $0.change(key) { group in
                guard let place = group.items.firstIndex(where: { $0.response.id == response.id }) else { return }
                group.items[place].response = response
                group.items[place].keptUntil = keptUntil
            }
        } undo: {
            $0.values.remove(key)
        } disk: {
            $0.update(digest, response.id, head: head, keptUntil: keptUntil, if: $1)
        }
        return result != .outdated
    }

    public func remove(_ ids: Set<UUID>, for key: HTTPCacheKey) async {
        let digest = key.digest
        drop(ids, of: key)
        await tiers.change {
            $0.change(key) { $0.items.removeAll { ids.contains($0.response.id) } }
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
        let scopes = GenerationScopes([tag])
        await tiers.change {
            $0.invalidate(scopes)
            $0.removeItems { $0.tags.contains(tag) }
        } disk: {
            $0.removeAll(tagged: tag)
        }
    }

    /// Like `clear`; a failure is only logged.
    public func removeAll() async {
        bodies.withLock { $0.removeAll() }
        await tiers.removeAll()
    }

    public func removeExpired() async {
        let now = clock.now
        await tiers.change {
            $0.removeItems { now >= $0.keptUntil }
        } disk: {
            $0.removeExpired()
        }
    }

    /// Removes everything from memory and disk.
    ///
    /// - Throws: `.storage` when the disk cannot do it.
    public func clear() async throws(DomainError) {
        bodies.withLock { $0.removeAll() }
        try await tiers.clear()
    }

    /// Takes over new limits at once and removes what exceeds them.
    public func resize(to limits: CacheLimits) async {
        limitBodies(to: limits)
        await tiers.resize(to: Self.ofHeads(limits))
    }

    /// Entries in memory are keys, on disk responses.
    public func stats() async -> CacheStats {
        var stats = await tiers.stats()
        let bytes = bodies.withLock(\.cost)
        stats.memoryBytes += bytes
        guard tiers.disk == nil else { return stats }
        stats.bytes += bytes
        stats.limit *= 4
        return stats
    }

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
        self.init(response: response, keptUntil: record.keptUntil, tags: record.tags)
    }
}
