public import Logging
import StrataConcurrency
public import StrataDomain
import StrataNetworking

/// Reads through a response cache: a cached value at once, refreshed in the background, and stale values while the server
/// is unreachable.
///
/// One fetch runs for a key at a time, in this process and, with a `leaseWait`, among all processes that share the cache.
public final class CachedReader: Sendable {
    /// A fresh value lives this long unless a read says otherwise.
    public static let standardLifetime = Duration.seconds(300)

    let cache: any ResponseCache
    let clock: any WallClock
    let logger: Logger
    let feed = UpdateFeed()
    let observers: [any InvalidationObserver]
    let flights = SingleFlight<FetchKey, FetchResult>()
    let time: MonotonicTime
    let leaseWait: Duration?
    private let connectivity: (any ConnectivityMonitor)?
    private let background = BackgroundWork(limit: .max)
    private let state = Mutex(State())

    private struct State {
        /// Fetches in the background.
        var refreshing: Set<FetchKey> = []
        /// The server refused the credentials in a background fetch; the next read reports it.
        var isRefused = false
    }

    /// - Parameters:
    ///   - observers: Other caches of the same data, told of each invalidation.
    ///   - connectivity: While it says offline, a read with a cached value sends nothing, unless its policy is `.refresh` or
    ///     `.mustAsk`. `nil`, the default: always online.
    ///   - leaseWait: How long a read waits for another process that fetches the same value, before it asks for itself. With
    ///     `nil`, for a program that reads a value once, it asks at once, and saves a write and a second look into the cache.
    ///   - clock: Decides whether a cached value is fresh.
    ///   - timer: Measures how long `drain` and a wait for another process take.
    public init(
        cache: any ResponseCache, observers: [any InvalidationObserver] = [],
        connectivity: (any ConnectivityMonitor)? = nil, leaseWait: Duration? = .seconds(5),
        clock: any WallClock = SystemWallClock(), timer: some Clock<Duration> = ContinuousClock(),
        logger: Logger = Logger(label: "strata.cache")
    ) {
        self.cache = cache
        self.observers = observers
        self.connectivity = connectivity
        self.leaseWait = leaseWait
        self.clock = clock
        time = MonotonicTime(timer)
        self.logger = logger
    }

    /// Waits until no background fetch runs, for instance before a program exits.
    ///
    /// - Returns: Whether all ended in time; the others go on.
    @discardableResult
    public func drain(upTo limit: Duration) async -> Bool { await background.drain(upTo: limit, on: time) }

    /// Cancels the background fetches; no other begins. For a program that exits. A fetch that a read waits for goes on.
    public func cancelBackground() { background.cancel() }

    /// Whether this machine cannot reach the server at present, as far as it knows.
    var isOffline: Bool {
        get async { await connectivity?.current() == .offline }
    }

    /// Why a copy is shown while `isOffline`.
    static let offlineReason = "this machine is offline"

    /// Readers and background fetches that wait for a fetch.
    var waiting: Int { flights.waiting }

    // MARK: - Fetches

    /// Starts a fetch in the background, unless one is under way there.
    func fetchInBackground(_ key: FetchKey, _ work: @escaping @Sendable () async -> FetchResult) {
        guard state.withLock({ $0.refreshing.insert(key).inserted }) else { return }
        let isStarted = background.start { [self] in
            _ = await BackgroundRead.$isCurrent.withValue(true) { try? await flights.value(for: key, work) }
            state.withLock { _ = $0.refreshing.remove(key) }
        }
        if !isStarted { state.withLock { _ = $0.refreshing.remove(key) } }
    }

    /// The result of a fetch that goes on in the background if it takes longer than `limit`.
    ///
    /// - Returns: `nil` at the limit.
    /// - Throws: `.cancelled`.
    func fetched(
        _ key: FetchKey, within limit: Duration, _ work: @escaping @Sendable () async -> FetchResult
    ) async throws(DomainError) -> FetchResult? {
        let arrival = Waiter<FetchResult>()
        background.start { [self] in
            let result = await BackgroundRead.$isCurrent.withValue(true) { try? await flights.value(for: key, work) }
            if let result { arrival.resume(result) }
        }
        do { return try await arrival.wait(until: Deadline(in: limit, on: time).limit) } catch { throw .cancelled }
    }

    /// Whether the server refused the credentials, which a cached value must not hide.
    var isRefused: Bool { state.withLock(\.isRefused) }

    func note(_ result: FetchResult, of key: CacheKey) {
        switch result {
        case .success(.fromServer): state.withLock { $0.isRefused = false }
        case .success(.fromCache): break
        case .failure(let error):
            if case .unauthorized = error { state.withLock { $0.isRefused = true } }
            logger.debug("a refresh failed", metadata: ["key": "\(key.target)", "reason": "\(error)"])
        }
    }
}

/// Readers with the same value share a fetch: a key, read as one type, and the generation before the fetch. A reader after an
/// invalidation finds another generation and does not join.
struct FetchKey: Sendable, Hashable {
    let read: ReadKey
    let generation: CacheGeneration
}

/// One key, read as one type.
struct ReadKey: Sendable, Hashable {
    let key: CacheKey
    private let type: ObjectIdentifier

    init<Value>(_ key: CacheKey, _ type: Value.Type) {
        self.key = key
        self.type = ObjectIdentifier(type)
    }
}

/// The value of a fetch, of the type of its `ReadKey`.
enum Fetched: Sendable {
    case fromServer(any Sendable)
    /// A fresh value that another process or reader stored meanwhile, as a `CachedValue`.
    case fromCache(any Sendable)
}

typealias FetchResult = Result<Fetched, DomainError>

extension CacheKey {
    /// Path and query, without the principal and the method: `/v1/notes`.
    var target: String {
        let target = text.split(separator: " ", maxSplits: 2).last.map(String.init) ?? text
        return target.hasSuffix("?") ? String(target.dropLast()) : target
    }
}
