public import GRDB
public import Logging
import StrataConcurrency
public import StrataDomain
import StrataSystem

/// Works offline in front of any REST API: rows in a SQLite file, writes that never wait for the network, and a synchronisation that loses nothing.
///
/// ```swift
/// let offline = try Offline(at: path, client: client)
/// let notes = try offline.collection(Note.self, CRUDRemote(list: …, create: …, update: …, delete: …))
/// let id = try await notes.create(Note(text: "milk"))
/// try await offline.sync()
/// ```
///
/// State every collection before the first read, write or synchronisation. Several processes may share the file. `Docs/Guides/Offline-any-API.md` has
/// the whole way.
public final class Offline: Sendable {
    private enum Place: Sendable {
        case file(String)
        case pool(DatabasePool)
    }

    private struct State {
        var collections: [OfflineCollection] = []
        var remotes: [String: any RemoteCollection] = [:]
        var opening: Task<Result<OfflineParts, DomainError>, Never>?
    }

    private let place: Place
    private let client: any APIClient
    private let limits: PullLimits
    private let clock: any Clock<Duration>
    private let wallClock: any WallClock
    private let random: RandomSource
    private let log: Logger
    private let state = Mutex(State())

    /// A store in a file.
    ///
    /// - Parameters:
    ///   - path: Of a SQLite file, which is made when it is missing and may have other tables too; or of a directory, for a file
    ///     `offline.sqlite` in it.
    ///   - client: Sends the calls of all collections. Its writes must not be answered by a cache.
    ///   - limits: Limits of reading, and when a deletion must be confirmed.
    /// - Throws: `.storage` for an empty path.
    public init(
        at path: String, client: any APIClient, limits: PullLimits = PullLimits(),
        clock: any Clock<Duration> = ContinuousClock(), wallClock: any WallClock = SystemWallClock(),
        random: RandomSource = RandomSource(), log: Logger = Logger(label: "strata.offline")
    ) throws(DomainError) {
        guard !path.isEmpty else {
            throw .storage("The path of the offline store is empty; name a file or a directory.")
        }
        let isDirectory = path.last == "/" || (try? Stat(path: path, following: true))?.isDirectory == true
        let slash = path.last == "/" ? "" : "/"
        place = .file(isDirectory ? "\(path)\(slash)offline.sqlite" : path)
        (self.client, self.limits) = (client, limits)
        (self.clock, self.wallClock, self.random, self.log) = (clock, wallClock, random, log)
    }

    /// A store beside the tables of an app, in the app's own database pool.
    ///
    /// The engine adds its tables: `base_row`, `client`, `conflict`, `cursor`, `deferred_row`, `meta`, `outbox`, `remote_place`, `remote_row` and `seen`.
    /// The pool is set to `synchronous = FULL`, so that an acknowledged write survives a power failure. The parameters are those of `init(at:…)`.
    public init(
        in pool: DatabasePool, client: any APIClient, limits: PullLimits = PullLimits(),
        clock: any Clock<Duration> = ContinuousClock(), wallClock: any WallClock = SystemWallClock(),
        random: RandomSource = RandomSource(), log: Logger = Logger(label: "strata.offline")
    ) {
        place = .pool(pool)
        (self.client, self.limits) = (client, limits)
        (self.clock, self.wallClock, self.random, self.log) = (clock, wallClock, random, log)
    }

    // MARK: - Collections

    /// The entities of a resource, in a table that follows from their fields.
    ///
    /// - Parameter merging: How edits on both sides are merged. Default: a user decides.
    /// - Throws: `.unexpected` for a name that is taken, and after the first use of the store.
    public func collection<Content: Entity>(
        _ type: Content.Type, _ remote: some RemoteCollection, merging: MergePolicy? = nil
    ) throws(DomainError) -> OfflineEntities<Content> {
        try register(EntityRow<Content>.collection.merging(by: merging), remote)
        return OfflineEntities(OfflineRows(self))
    }

    /// The same for a resource of four closures, whose types follow from the entity.
    public func collection<Content: Entity>(
        _ type: Content.Type, _ remote: CRUDRemote<Content>, merging: MergePolicy? = nil
    ) throws(DomainError) -> OfflineEntities<Content> {
        try register(EntityRow<Content>.collection.merging(by: merging), remote)
        return OfflineEntities(OfflineRows(self))
    }

    /// The rows of a resource in a table of your own, which other code may read, and write other rows of.
    ///
    /// Rows that were not written through the result are neither sent nor removed; `OfflineRows.adopt` queues them.
    ///
    /// - Throws: As above.
    public func collection<Row: OfflineRow>(
        _ type: Row.Type, _ remote: some RemoteCollection, merging: MergePolicy? = nil
    ) throws(DomainError) -> OfflineRows<Row> {
        try register(Row.collection.merging(by: merging).sharingTable, remote)
        return OfflineRows(self)
    }

    private func register(_ collection: OfflineCollection, _ remote: any RemoteCollection) throws(DomainError) {
        try state.withLock { state throws(DomainError) in
            guard state.opening == nil else {
                throw .unexpected(
                    "Collection '\(collection.name)' comes after the first use of the store; state it before.")
            }
            guard state.remotes[collection.name] == nil else {
                throw .unexpected(
                    "Collection '\(collection.name)' is stated twice; give each entity a name of its own.")
            }
            state.collections.append(collection)
            state.remotes[collection.name] = remote
        }
    }

    // MARK: - Synchronising

    /// Sends what is queued, then fetches what changed.
    ///
    /// - Parameter direction: `.push` or `.pull` for one half of it.
    /// - Throws: `.unavailable` or `.busy` when the server cannot be reached, `.unauthorized` until the next login. Nothing is lost: what is queued
    ///   stays queued.
    @discardableResult
    public func sync(_ direction: SyncDirection = .both) async throws(DomainError) -> OfflineReport {
        let parts = try await parts()
        let report = try await parts.engine.sync(.now, direction)
        return OfflineReport(report, try await parts.engine.status(), held: try await parts.heldCount())
    }

    /// How far the store is behind, without a request.
    public func status() async throws(DomainError) -> OfflineReport {
        let parts = try await parts()
        return OfflineReport(SyncReport(), try await parts.engine.status(), held: try await parts.heldCount())
    }

    /// Synchronises until its task is cancelled: at the start, after local writes, when the network comes back, and every `poll`.
    ///
    /// - Parameter onEvent: Called between the steps; it must not wait.
    public func run(
        every poll: Duration = .seconds(60), connectivity: any ConnectivityMonitor = FixedConnectivity(.online),
        onEvent: @escaping @Sendable (SyncLoop.Event) -> Void = { _ in }
    ) async throws(DomainError) {
        let parts = try await parts()
        let loop = SyncLoop(
            engine: parts.engine, settings: .init(poll: poll, longPollSeconds: nil), connectivity: connectivity,
            localWrites: { parts.store.changes() }, clock: clock, random: random, onEvent: onEvent)
        await loop.run()
    }

    // MARK: - The store

    /// The local rows, queues and conflicts of all collections.
    public func store() async throws(DomainError) -> OfflineStore { try await parts().store }

    /// Opens the database at the first call. After a failure the next call tries again.
    func parts() async throws(DomainError) -> OfflineParts {
        let task = state.withLock { state in
            if let task = state.opening { return task }
            let (collections, remotes) = (state.collections, state.remotes)
            let task = Task { await self.open(collections, remotes) }
            state.opening = task
            return task
        }
        switch await task.value {
        case .success(let parts): return parts
        case .failure(let error):
            state.withLock { state in if state.opening == task { state.opening = nil } }
            throw error
        }
    }

    private func open(
        _ collections: [OfflineCollection], _ remotes: [String: any RemoteCollection]
    ) async -> Result<OfflineParts, DomainError> {
        do throws(DomainError) {
            let database =
                switch place {
                case .file(let path):
                    try await OfflineDatabase.open(
                        at: path, collections: collections, isShared: true, wallClock: wallClock, log: log)
                case .pool(let pool):
                    try await OfflineDatabase.adopt(pool, collections: collections, wallClock: wallClock, log: log)
                }
            let store = OfflineStore(database: database, wallClock: wallClock, random: random)
            let engine = SyncEngine(
                database: database, client: client, remotes: remotes, pulling: limits, clock: clock,
                wallClock: wallClock, random: random, log: log)
            return .success(OfflineParts(store: store, engine: engine, wallClock: wallClock, random: random))
        } catch {
            return .failure(error)
        }
    }
}

/// An open store with its engine.
struct OfflineParts: Sendable {
    let store: OfflineStore
    let engine: SyncEngine
    let wallClock: any WallClock
    let random: RandomSource

    func heldCount() async throws(DomainError) -> Int {
        try await store.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM remote_row WHERE missing = 1") ?? 0
        }
    }
}
