public import Logging
public import StrataDomain
public import StrataNetworking

/// Reads through a response cache: what is kept at once, refreshed behind, and kept answers while the server is away.
///
/// One fetch at a time for each key, however many readers there are. Use one reader for one cache: the reader makes
/// sure that a fetch which began before a change never puts old data back after it.
public actor CachedReader {
    /// A fresh value lives this long unless a read says otherwise.
    public static let standardLifetime = Duration.seconds(300)

    nonisolated let cache: any ResponseCache
    nonisolated let clock: any WallClock
    nonisolated let logger: Logger
    nonisolated let feed = UpdateFeed()
    nonisolated let leases: KeyLeases?
    nonisolated let epochs: InvalidationEpochs?
    nonisolated let observers: [any InvalidationObserver]
    nonisolated let timer: any Clock<Duration>
    nonisolated let random: RandomFraction
    /// How long the last fetches took, for refreshing early.
    nonisolated let costs = FetchCosts()

    /// Fetches under way, also those whose result is no longer wanted in the cache.
    private var flights = [Int: ReadFlight]()
    /// The flight a new reader joins.
    private var current = [ReadKey: Int]()
    private var idlers = [Int: CheckedContinuation<Bool, Never>]()
    private var lastNumber = 0
    /// The server refused our credentials in a refresh behind somebody's back; the next reader is to learn of it.
    private(set) var isRefused = false

    /// - Parameters:
    ///   - clock: Tells whether a kept value is fresh.
    ///   - leases: Of the cache's directory, so that one process fetches for all; `nil` when the cache is not shared.
    ///   - epochs: Of the cache's directory, so that a fetch of one process does not undo an invalidation of another;
    ///     `nil` when the cache is not shared.
    ///   - observers: Other caches of the same data, told of each invalidation.
    ///   - timer: Measures how long `drain` waits and how long a fetch takes.
    ///   - random: Spreads early refreshes.
    public init(
        cache: any ResponseCache, leases: KeyLeases? = nil, epochs: InvalidationEpochs? = nil,
        observers: [any InvalidationObserver] = [], clock: any WallClock = SystemWallClock(),
        timer: any Clock<Duration> = ContinuousClock(), random: @escaping RandomFraction = systemRandomFraction,
        logger: Logger = Logger(label: "strata.cache")
    ) {
        self.cache = cache
        self.leases = leases
        self.epochs = epochs
        self.observers = observers
        self.clock = clock
        self.timer = timer
        self.random = random
        self.logger = logger
    }

    /// Waits until no fetch is under way, for instance before a program exits.
    ///
    /// - Returns: Whether all were done in time; those that were not go on.
    @discardableResult
    public func drain(upTo limit: Duration) async -> Bool {
        guard !flights.isEmpty else { return true }
        let number = nextNumber()
        let deadline = Task { [timer] in
            guard (try? await timer.sleep(for: limit)) != nil else { return }
            dismiss(number)
        }
        defer { deadline.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { idlers[number] = $0 }
        } onCancel: {
            Task { await self.dismiss(number) }
        }
    }

    /// How many readers wait for fetches under way.
    var waiting: Int { flights.values.reduce(0) { $0 + $1.waiters.count } }

    // MARK: - Flights

    typealias Work = @Sendable (_ flight: Int) async -> ReadFlight.Answer

    /// Starts a fetch that nobody waits for, unless one is under way.
    func fetchBehind(_ key: ReadKey, tags: Set<String>, _ work: @escaping Work) {
        let number = current[key] ?? depart(key, tags: tags, work)
        flights[number]?.isWantedBehind = true
    }

    /// The result of the fetch under way, or of a new one.
    func fetch(_ key: ReadKey, tags: Set<String>, _ work: @escaping Work) async throws(DomainError) -> Arrival {
        if Task.isCancelled { throw .cancelled }
        let number = current[key] ?? depart(key, tags: tags, work)
        let waiter = nextNumber()
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { flights[number]?.waiters[waiter] = $0 }
        } onCancel: {
            Task { await self.leave(number, waiter) }
        }
        return try answer.get()
    }

    /// Whether the flight may put its value into the cache; from here to its end, a change waits for it.
    func beginStoring(_ number: Int) -> Bool {
        guard let flight = flights[number], !flight.isOutdated else { return false }
        flights[number]?.isStoring = true
        return true
    }

    func isOutdated(_ number: Int) -> Bool { flights[number]?.isOutdated ?? true }

    /// Makes every matching flight keep its result out of the cache, and waits for those that are storing right now.
    func outdate(where matches: (ReadFlight) -> Bool) async {
        var storing: [Task<Void, Never>] = []
        for (number, flight) in flights where matches(flight) {
            flights[number]?.isOutdated = true
            if current[flight.key] == number { current[flight.key] = nil }
            if flight.isStoring { storing.append(flight.task) }
        }
        for task in storing { await task.value }
    }

    private func depart(_ key: ReadKey, tags: Set<String>, _ work: @escaping Work) -> Int {
        let number = nextNumber()
        let task = Task { land(number, await work(number)) }
        flights[number] = ReadFlight(key: key, tags: tags, task: task)
        current[key] = number
        return number
    }

    private func land(_ number: Int, _ answer: ReadFlight.Answer) {
        guard let flight = flights.removeValue(forKey: number) else { return }
        if current[flight.key] == number { current[flight.key] = nil }
        note(answer, of: flight)
        for waiter in flight.waiters.values { waiter.resume(returning: answer) }
        guard flights.isEmpty else { return }
        for idler in idlers.values { idler.resume(returning: true) }
        idlers = [:]
    }

    private func note(_ answer: ReadFlight.Answer, of flight: ReadFlight) {
        switch answer {
        case .success(.fetched): isRefused = false
        case .success(.kept): break
        case .failure(let error):
            if case .unauthorized = error { isRefused = true }
            logger.debug("a refresh failed", metadata: ["key": "\(flight.key.key.target)", "reason": "\(error)"])
        }
    }

    /// A waiter was cancelled. The fetch itself is cancelled when nobody else wants it.
    private func leave(_ number: Int, _ waiter: Int) {
        guard let continuation = flights[number]?.waiters.removeValue(forKey: waiter) else { return }
        continuation.resume(returning: .failure(.cancelled))
        guard let flight = flights[number], flight.waiters.isEmpty, !flight.isWantedBehind, !flight.isStoring else {
            return
        }
        flight.task.cancel()
        if current[flight.key] == number { current[flight.key] = nil }
    }

    private func dismiss(_ idler: Int) { idlers.removeValue(forKey: idler)?.resume(returning: false) }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}
