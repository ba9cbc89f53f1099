public import FoundationEssentials
public import Logging
public import StrataDomain
import Synchronization

/// Stored responses in memory over stored responses on disk, bounded in entries and bytes.
public final class TwoTierHTTPCacheStore: HTTPCacheStore {
    private let memory: Mutex<ResponseMemory>
    private let limits: CacheLimits
    private let clock: any WallClock
    private let logger: Logger

    /// - Parameters:
    ///   - directory: Where the disk tier lies, an absolute path in the user's cache directory; `nil` for memory only.
    ///     It is made, and opened, on first use.
    ///   - namespace: Names a directory inside it for this cache alone, with a byte limit of its own.
    ///   - tiers: Which of the tiers are used.
    public init(
        directory: String?, namespace: String = "http", tiers: CacheTiers = .both, limits: CacheLimits = CacheLimits(),
        clock: any WallClock = SystemWallClock(), logger: Logger = Logger(label: "strata.cache.http")
    ) {
        memory = Mutex(ResponseMemory(limits: limits))
        self.limits = limits
        self.clock = clock
        self.logger = logger
    }

    public func responses(for key: HTTPCacheKey) async -> [StoredResponse] {
        memory.withLock { $0.group(for: key)?.responses ?? [] }
    }

    public func body(of response: StoredResponse, for key: HTTPCacheKey) async -> Data? {
        memory.withLock { $0.group(for: key)?.body(of: response.id) }
    }

    @discardableResult
    public func store(
        _ response: StoredResponse, body: Data, for key: HTTPCacheKey, replacing replaced: Set<UUID>, keptUntil: Date,
        tags: Set<String>
    ) async -> Bool {
        let item = ResponseGroup.Item(response: response, body: body, keptUntil: keptUntil, tags: tags)
        return memory.withLock { memory in
            var group = memory.group(for: key) ?? ResponseGroup()
            group.store(item, replacing: replaced)
            memory.put(group, for: key)
            return memory.group(for: key)?.body(of: response.id) != nil
        }
    }

    public func update(_ response: StoredResponse, for key: HTTPCacheKey, keptUntil: Date) async {
        memory.withLock { $0.change(key) { _ = $0.update(response, keptUntil: keptUntil) } }
    }

    public func remove(_ ids: Set<UUID>, for key: HTTPCacheKey) async {
        memory.withLock { $0.change(key) { $0.remove { ids.contains($0.response.id) } } }
    }

    public func removeAll(for key: HTTPCacheKey) async { memory.withLock { $0.remove(key) } }

    public func removeAll(tagged tag: String) async {
        memory.withLock { $0.removeItems { $0.tags.contains(tag) } }
    }

    public func removeAll() async { memory.withLock { $0.removeAll() } }

    public func removeExpired() async {
        let now = clock.now
        memory.withLock { $0.removeItems { now >= $0.keptUntil } }
    }
}
