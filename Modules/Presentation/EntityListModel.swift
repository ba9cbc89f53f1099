public import Observation
public import StrataDomain

/// A list of entities for a view: shows the stored copy at once and the fresh list after it, and notifies only of differences.
@Observable @MainActor
public final class EntityListModel<Content: Entity> {
    /// The rows that are shown, in the order of the list.
    public private(set) var items: [Stored<Content>] = []
    /// The position of the first item in the list; 0 without a window.
    package private(set) var start = 0
    /// True from the first load until the first items or error.
    public private(set) var isLoading = false
    /// True while shown items are read again.
    public private(set) var isRefreshing = false
    /// The error of the newest load; the items stay.
    public private(set) var error: DomainError?

    /// What views are told of the origin.
    private var freshness: Freshness?
    @ObservationIgnored private var newestOrigin: SnapshotOrigin?
    @ObservationIgnored private let entities: EntityUseCases<Content>
    @ObservationIgnored private let connectivity: ConnectivityModel
    /// The number of the newest load; the result of an older one is dropped.
    @ObservationIgnored private var newestLoad = 0
    /// The number of the newest change that was seen.
    @ObservationIgnored private var newestChange = 0
    /// The newest load of `follow`.
    @ObservationIgnored private var loading: Task<Void, Never>?

    /// Which entities the next read asks for.
    public var query: EntityQuery<Content>
    /// Which positions of the list the next read asks for. Default: `nil`, as many as `query.limit`.
    package var window: Range<Int>?

    /// - Parameter query: Default: all, in the order of the entity.
    public init(_ entities: EntityUseCases<Content>, _ query: EntityQuery<Content> = EntityQuery()) {
        self.entities = entities
        self.query = query
        connectivity = ConnectivityModel(entities.upkeep.connectivity)
    }

    /// The origin of the items; `nil` before the first response.
    ///
    /// Views are notified when the items become current or stale, or stale for another reason, but not of a later time.
    public var origin: SnapshotOrigin? { freshness == nil ? nil : newestOrigin }

    /// The items and their origin; `nil` before the first response.
    public var snapshot: Snapshot<[Stored<Content>]>? { origin.map { Snapshot(items, $0) } }

    /// Whether the server can be expected to be reached. Known while the list is followed; true before.
    public var isOnline: Bool { connectivity.isOnline }

    // MARK: - Reading

    /// Reads the list: the stored copy at once, and the fresh list after it.
    public func load() async {
        newestLoad += 1
        let (load, change) = (newestLoad, newestChange)
        let window = window
        progress(isLoading: freshness == nil, isRefreshing: freshness != nil)
        var last: SnapshotOrigin?
        var failure: DomainError?
        do {
            for try await snapshot in entities.cacheThenNetwork(query, in: window) {
                guard load == newestLoad else { return }
                last = snapshot.origin
                show(snapshot, from: window)
                progress(isLoading: false, isRefreshing: true)
            }
        } catch { failure = DomainError(error) }
        guard load == newestLoad else { return }
        if let last { show(last) }
        if !Task.isCancelled, failure != .cancelled, error != failure { error = failure }
        progress(isLoading: false, isRefreshing: false)
        // What was stored meanwhile may be newer than what the load brought.
        if change != newestChange { await reload() }
    }

    /// Shows the stored list, which has changed. A stale one is loaded.
    private func reload() async {
        newestChange += 1
        let (change, window) = (newestChange, window)
        // Without a stored list the load tells the reason.
        guard let snapshot = try? await entities.list(query, .cacheOnly, in: window), change == newestChange else {
            return
        }
        // Another window is under way, whose load reads the change.
        guard window == self.window else { return }
        show(snapshot, from: window)
        guard !isLoading, !isRefreshing else { return }
        if case .stale = snapshot.origin { begin() } else { show(snapshot.origin) }
    }

    // Some types are observed at every assignment, so values are compared first.

    private func progress(isLoading: Bool, isRefreshing: Bool) {
        if self.isLoading != isLoading { self.isLoading = isLoading }
        if self.isRefreshing != isRefreshing { self.isRefreshing = isRefreshing }
    }

    /// Shows a copy while the fresh list is under way. Whether the copy is stale shows when that does not come.
    private func show(_ copy: Snapshot<[Stored<Content>]>, from window: Range<Int>?) {
        let start = window?.lowerBound ?? 0
        if self.start != start { self.start = start }
        if items != copy.value { items = copy.value }
        if freshness == nil { show(copy.origin.asCopy) }
        if isLoading { progress(isLoading: false, isRefreshing: true) }
    }

    private func show(_ origin: SnapshotOrigin) {
        newestOrigin = origin
        if freshness != Freshness(origin) { freshness = Freshness(origin) }
    }

    // MARK: - Following

    /// Reads the list now, after each change, when the network returns, and at intervals, until the task is cancelled.
    ///
    /// Also while the network seems to be away: only a response proves that a server is back which refused connections.
    ///
    /// - Parameters:
    ///   - interval: Between the end of a load and the next. Default 15 s.
    ///   - clock: Measures the interval.
    /// - Throws: The error of the work beside it (`ListUpkeep.work`).
    public func follow(
        every interval: Duration = .seconds(15), clock: any Clock<Duration> = ContinuousClock()
    ) async throws {
        let work = entities.upkeep.work
        defer { loading?.cancel() }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await work() }
                group.addTask { await self.followChanges() }
                group.addTask { await self.connectivity.follow { await self.begin() } }
                group.addTask { try await self.load(every: interval, clock) }
                defer { group.cancelAll() }
                for try await _ in group {}
            }
        } catch {
            guard Task.isCancelled else { throw error }
        }
    }

    /// Starts a load. An earlier one may wait for a server that is gone, so it is cancelled first.
    package func begin() {
        let earlier = loading
        earlier?.cancel()
        loading = Task {
            await earlier?.value
            if !Task.isCancelled { await load() }
        }
    }

    private func followChanges() async {
        var isFirst = true
        for await _ in entities.changes(of: query) {
            // From the first element on, no change is missed.
            if isFirst { begin() } else { await reload() }
            isFirst = false
        }
    }

    private func load(every interval: Duration, _ clock: any Clock<Duration>) async throws {
        while true {
            try await clock.sleep(for: interval)
            await loading?.value
            begin()
        }
    }
}

/// What a view shows of an origin.
private enum Freshness: Equatable {
    case current, local
    case stale(reason: String)

    init(_ origin: SnapshotOrigin) {
        self =
            switch origin {
            case .server, .cache: .current
            case .stale(_, let reason): .stale(reason: reason)
            case .local: .local
            }
    }
}

extension SnapshotOrigin {
    /// The origin of a copy while the fresh list is under way.
    fileprivate var asCopy: SnapshotOrigin {
        if case .stale(let storedAt, _) = self { .cache(storedAt: storedAt) } else { self }
    }
}
