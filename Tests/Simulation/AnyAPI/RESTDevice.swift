import FoundationEssentials
import GRDB
import Logging
import StrataConcurrency
import StrataDomain
import StrataTesting

@testable import StrataOffline

/// A device whose app works offline in front of the REST server.
// Sendable proof: only the thread of the scheduler touches it.
final class RESTDevice: Machine, @unchecked Sendable {
    /// An acknowledged local write that neither reached the server nor was replaced by a later one.
    struct Promise: Hashable {
        var tag: String
        var key: EntityKey
        var field: String
        /// Its place in the order of the local writes.
        var number: Int
    }

    static let cap = Duration.seconds(12)
    static let collections = [ProjectRow.collection, TaskRow.collection]
    /// The tables of `DiskShelf`.
    static let tables = [
        "meta", "client", "cursor", "base_row", "outbox", "deferred_row", "conflict", "seen", "remote_row",
        "remote_place",
        "project", "task",
    ]
    private static let quiet = Logger.silent

    unowned let world: RESTWorld
    var promises: [Promise] = []
    /// The last local write of each row by field, or as a whole under `""`, in the order of local writes.
    private(set) var written: [EntityKey: [String: Int]] = [:]
    private var writes = 0
    /// The row of a local write from before its commit until its promise is noted.
    private(set) var storing: EntityKey?
    /// Rows that were deleted here and must be gone from the server in the end.
    var deletions: Set<EntityKey> = []
    /// The tags that the text of each row that was made here had here.
    var born: [EntityKey: Set<String>] = [:]
    /// The natural key of each row that was made here.
    var codes: [EntityKey: String] = [:]
    /// How far in the history of the server each field was shown here.
    var shown: [RESTServer.Place: Int] = [:]
    /// The row of the server that each local row was bound to last.
    var bound: [EntityKey: String] = [:]
    private var lives = 0

    init(_ index: Int, _ world: RESTWorld, _ queue: DatabaseQueue) throws {
        self.world = world
        super.init(index, world, try SimulatedDisk(queue, client: "d\(index)"))
        if let trigger = world.bug?.trigger { try disk.queue.write { try $0.execute(sql: trigger) } }
    }

    // MARK: - Processes

    override func start() {
        guard life == nil else { return }
        if world.bug == .idsInMemory, lives > 0 { forgetIDs() }
        let life = Life()
        self.life = life
        let (database, random) = open(life)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        life.writes = continuation
        var settings = SyncLoop.Settings(poll: .seconds(8), longPollSeconds: nil)
        settings.backoff.longest = Self.cap
        let loop = SyncLoop(
            engine: engine(database, life, random), settings: settings, connectivity: link, localWrites: { stream },
            clock: clock, random: random,
            onEvent: { [world, name] event in
                switch event {
                case .started: world.note("\(name) runs")
                case .synchronised(let report):
                    world.note("\(name) sent \(report.pushed), fetched \(report.pulled), merged \(report.merged)")
                case .failed(let error): world.note("\(name) failed: \(String("\(error)".prefix(60)))")
                case .waiting(let phase, let wait): world.note("\(name) is \(phase.rawValue) for \(wait.milliseconds)")
                }
            })
        life.loop = loop
        life.task = world.spawn { await loop.run() }
    }

    /// Another process of this device makes one run.
    func runOtherProcess() {
        let life = Life()
        let (database, random) = open(life)
        let engine = engine(database, life, random)
        life.task = world.spawn { _ = try? await engine.sync() }
    }

    private var clock: SimulatedClock { SimulatedClock(scheduler: world.scheduler) }

    private func open(_ life: Life) -> (OfflineDatabase, RandomSource) {
        lives += 1
        let gate = SimulatedGate(device: self, life: life)
        let collections = Self.collections.filter { world.rules.collections.contains($0.name) }
        let database = OfflineDatabase(
            path: "memory", collections: collections, writer: disk.queue, gate: gate, wallClock: wallClock,
            log: Self.quiet)
        return (database, RandomSource(SeededRandom(seed: UInt64(index * 100_000 + lives))))
    }

    private func engine(_ database: OfflineDatabase, _ life: Life, _ random: RandomSource) -> SyncEngine {
        let link = RESTLink(world: world, device: self, life: life)
        let remotes = Dictionary(
            uniqueKeysWithValues: world.rules.collections.map { name in
                (name, HostileRemote(name: name, link: link).collection)
            })
        return SyncEngine(
            database: database, client: RESTClient(), remotes: remotes, clock: clock, wallClock: wallClock,
            random: random, log: Self.quiet)
    }

    // MARK: - Acts of a user

    private func act(_ work: @escaping @Sendable (OfflineStore, Life) async -> Void) {
        guard let life else { return }
        let (database, random) = open(life)
        let store = OfflineStore(database: database, wallClock: wallClock, random: random)
        act { await work(store, life) }
    }

    func write(_ place: Int, _ choice: Int, isPoison: Bool = false) {
        let name = world.rules.collections[choice % world.rules.collections.count]
        let tag = world.tag(by: self.name) + (isPoison ? "!" : "")
        let newID =
            world.bug == .collidingIDs
            ? String(1001 + born.count) : UUIDv7.string(at: wallClock.now, using: &world.random)
        act { [self] store, life in
            let table = name.dropLast()
            guard
                let (rows, projects) = try? await store.read({ db in
                    (
                        try String.fetchAll(db.cachedStatement(sql: "SELECT id FROM \(table) ORDER BY id")),
                        try String.fetchAll(db.cachedStatement(sql: "SELECT id FROM project ORDER BY id"))
                    )
                })
            else { return }
            let pick = place % (rows.count + 1)
            let project = projects.isEmpty ? JSONValue.null : .string(projects[place % projects.count])
            let key = EntityKey(collection: name, id: pick < rows.count ? rows[pick] : newID)
            storing = key
            defer { storing = nil }
            do {
                if pick == rows.count {
                    guard rows.count < RESTWorld.mostRows else { return }
                    var fields: [String: JSONValue] = ["text": .string(tag)]
                    if world.rules.ids == .naturalKey {
                        codes[key] = "k\(place % 5)"
                        fields["code"] = .string("k\(place % 5)")
                    }
                    if name == "tasks", project != .null { fields["project"] = project }
                    born[key, default: []].insert(tag)
                    try await store.create(name, key.id, fields)
                    acknowledge(tag, key, "text")
                } else if choice / 3 == 0, !isPoison {
                    try await store.delete(name, key.id)
                    promises.removeAll { $0.key == key }
                    noteWrite(key, "")
                    if name == "projects" { deletions.insert(key) }
                    world.note("\(self.name) deletes \(key.id)")
                } else if choice / 3 == 1, name == "tasks", !isPoison {
                    try await store.patch(name, key.id, ["project": project])
                    world.note("\(self.name) moves \(key.id) to \(project.string ?? "nothing")")
                } else {
                    let field = choice % 2 == 0 ? "text" : "mark"
                    if field == "text" { born[key]?.insert(tag) }
                    try await store.patch(name, key.id, [field: .string(tag)])
                    acknowledge(tag, key, field)
                }
                life.writes?.yield()
            } catch {
                // A process that died may have stored the write, which then replaced an earlier promise.
                if !life.isAlive { promises.removeAll { $0.key == key } }
            }
        }
    }

    private func acknowledge(_ tag: String, _ key: EntityKey, _ field: String) {
        promises.removeAll { $0.key == key && $0.field == field }
        noteWrite(key, field)
        // A row is shown again when its deletion was refused.
        deletions.remove(key)
        promises.append(Promise(tag: tag, key: key, field: field, number: writes))
        world.note("\(name) wrote \(tag) to \(field) of \(key.id)")
    }

    private func noteWrite(_ key: EntityKey, _ field: String) {
        writes += 1
        written[key, default: [:]][field] = writes
    }

    /// Forgets what was promised for a row: a user decided otherwise.
    ///
    /// - Parameter tags: Of the writes that are dropped. The row that they were made to may have become another one with the same natural key.
    private func release(_ key: EntityKey, _ tags: [String]) {
        promises.removeAll { $0.key == key || tags.contains($0.tag) }
        deletions = deletions.filter { $0 != key && (bound[$0] == nil || bound[$0] != bound[key]) }
    }

    func resolve(keepingLocal: Bool, all: Bool = false) {
        guard isCounted("conflict") else { return }
        act { [self] store, life in
            guard let open = try? await store.conflicts() else { return }
            for conflict in open.sorted(by: { $0.entityId < $1.entityId }).prefix(all ? 100 : 1) {
                let key = EntityKey(collection: conflict.collection, id: conflict.entityId)
                // A discarded edit is no promise. A failed call may have taken effect.
                if !keepingLocal { release(key, RESTServer.tags(conflict.local ?? [:])) }
                world.server.decided.formUnion(RESTServer.tags(conflict.local ?? [:]))
                try? await store.resolve(conflict.id, keeping: keepingLocal ? .local : .remote)
                world.note("\(name) resolves \(key.id), keeping \(keepingLocal ? "its own" : "the server's")")
            }
            life.writes?.yield()
        }
    }

    /// Whether there are such rows; without them an act is skipped.
    private func isCounted(_ rows: String) -> Bool {
        let sql = "SELECT COUNT(*) FROM \(rows)"
        return (try? disk.access { try Int.fetchOne($0.cachedStatement(sql: sql)) }) != 0
    }

    /// Discards the writes that the server refused.
    func discardRefused() {
        guard world.bug != .hiddenQueue, isCounted("outbox WHERE state = 'rejected'") else { return }
        act { [self] store, life in
            let entries = (try? await store.entries()) ?? []
            for entry in entries where entry.state == .rejected {
                let key = EntityKey(collection: entry.mutation.collection, id: entry.mutation.entityId)
                let dropped = entries.map(\.mutation).filter {
                    $0.collection == key.collection && $0.entityId == key.id
                }
                release(key, dropped.flatMap { RESTServer.tags($0.fields) })
                try? await store.discard(entry.id)
                world.note("\(name) discards a write to \(entry.mutation.entityId): \(entry.error ?? "")")
            }
            life.writes?.yield()
        }
    }

    /// Confirms that rows are deleted which the last complete list did not have.
    func confirmDeletions() {
        guard isCounted("remote_row WHERE missing = 1") else { return }
        act { [self] store, _ in
            let names = world.rules.collections
            _ = try? await store.access { access in
                for name in names {
                    for link in try access.remotes.links(of: name) where link.isMissing {
                        _ = try access.takeDeletion(of: link.remoteID, in: name)
                    }
                }
            }
            world.note("\(name) confirms deletions")
        }
    }

    // MARK: - The disk

    override func committed() { RESTInvariants.checkCommit(self) }

    /// With the planted bug, of a transaction that the process does not live to commit, the checkpoint is stored all the same.
    override func lose(_ work: (Database) throws -> Void) {
        guard world.bug == .checkpointApart else { return }
        var places: [[DatabaseValue]] = []
        struct Undone: Error {}
        let columns = "collection, checkpoint, listed_at, pulled_at"
        try? disk.transaction { db in
            try work(db)
            places = try Row.fetchAll(db, sql: "SELECT \(columns) FROM remote_place").map { Array($0.databaseValues) }
            throw Undone()
        }
        try? disk.transaction { db in
            for place in places {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO remote_place (\(columns)) VALUES (?, ?, ?, ?)",
                    arguments: StatementArguments(place))
            }
        }
    }

    private func forgetIDs() {
        do { try disk.access { try $0.execute(sql: "DELETE FROM remote_row") } } catch {
            world.fail("\(name): the ids cannot be forgotten: \(error)")
        }
    }
}

/// The engine's client. The remotes of the simulation send nothing through it.
struct RESTClient: APIClient {
    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        throw NetworkError(.unexpected("no remote of the simulation uses this client"))
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions, receive: @escaping ReceiveBody<Result>
    ) async throws(NetworkError) -> Result {
        throw NetworkError(.unexpected("no remote of the simulation uses this client"))
    }
}
