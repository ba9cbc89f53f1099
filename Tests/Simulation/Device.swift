import FoundationEssentials
import GRDB
import Logging
import StrataConcurrency
import StrataDomain
import StrataTesting

@testable import StrataOffline

/// A machine with a store and its processes.
// Sendable proof: only the thread of the scheduler touches it.
final class Device: Machine, @unchecked Sendable {
    /// An acknowledged local write that neither reached the server nor was replaced by a later one.
    struct Promise: Hashable {
        var tag: String
        var key: ModelServer.Key
        var field: String
    }

    private static let quiet = Logger.silent
    static let cap = Duration.seconds(20)

    unowned let world: World
    var keepsDrafts: Bool
    var promises: [Promise] = []
    /// The last derived rows, with their sources.
    var derived: [ModelServer.Key: Invariants.Derived] = [:]
    /// Whether a transaction was committed since the last check.
    var isChanged = true
    /// Whether the database was edited by hand and no run has repaired it yet.
    var isTampered = false
    private var lives = 0
    private var tags = 0
    private var knownCursor: String?

    init(_ index: Int, _ world: World, _ queue: DatabaseQueue) throws {
        self.world = world
        keepsDrafts = index != 1
        super.init(index, world, try SimulatedDisk(queue, client: "d\(index)"))
        if let trigger = world.bug?.trigger { try disk.queue.write { try $0.execute(sql: trigger) } }
    }

    // MARK: - Processes

    override func start() {
        guard life == nil else { return }
        let life = Life()
        self.life = life
        let (database, random) = open(life)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        life.writes = continuation
        var settings = SyncLoop.Settings(poll: .seconds(30), longPollSeconds: 20)
        settings.backoff.longest = Self.cap
        let loop = SyncLoop(
            engine: engine(database, life, random), settings: settings,
            connectivity: link, localWrites: { stream }, clock: clock, random: random,
            onEvent: { [world, name] event in
                switch event {
                case .started: world.note("\(name) runs")
                case .synchronised(let report): world.note("\(name) did \(Self.text(report))")
                case .failed(let error): world.note("\(name) failed: \(Self.kind(error))")
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

    private var clock: SimulatedClock {
        let isBroken = world.bug == .deadTimer
        return SimulatedClock(scheduler: world.scheduler) { isBroken && $0 > .seconds(6) }
    }

    private func open(_ life: Life) -> (OfflineDatabase, RandomSource) {
        lives += 1
        let collections = keepsDrafts ? SimulatedDisk.collections : [NoteRow.collection]
        let database = OfflineDatabase(
            path: "memory", collections: collections, writer: disk.queue, gate: SimulatedGate(device: self, life: life),
            wallClock: wallClock, log: Self.quiet)
        return (database, RandomSource(SeededRandom(seed: UInt64(index * 1000 + lives))))
    }

    private func engine(_ database: OfflineDatabase, _ life: Life, _ random: RandomSource) -> SyncEngine {
        SyncEngine(
            database: database, client: SimulatedLink(world: world, device: self, life: life),
            settings: .init(
                pageSize: 3, batchSize: 3, verifiedRows: world.bug == .noVerification ? 0 : 100, snapshotRows: 2),
            clock: clock, wallClock: wallClock, random: random,
            log: Self.quiet)
    }

    // MARK: - Acts of users

    /// Runs an act with a new store, as a new command would.
    private func act(_ work: @escaping @Sendable (OfflineStore, Life) async -> Void) {
        guard let life else { return }
        let (database, random) = open(life)
        let store = OfflineStore(database: database, wallClock: wallClock, random: random)
        act { await work(store, life) }
    }

    func write(_ entity: Int, choice: Int, isPoison: Bool = false) {
        let key = SimulatedRow.key(entity)
        guard keepsDrafts || key.collection == "notes" else { return }
        tags += 1
        let tag = "\(name)#\(tags)" + (isPoison ? "!" : "")
        act { [self] store, life in
            let isThere =
                (try? await store.read { db in
                    let sql = "SELECT COUNT(*) FROM \(key.collection.dropLast()) WHERE id = ?"
                    return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [key.id])
                }) ?? nil
            guard let isThere else { return }
            let field = choice % 2 == 0 ? "text" : "mark"
            do {
                if !isThere {
                    let fields: [String: JSONValue] = ["text": .string(tag)]
                    try await store.create(key.collection, key.id, fields)
                    acknowledge(tag, key, "text", life)
                } else if choice == 7, !isPoison {
                    try await store.delete(key.collection, key.id)
                    promises.removeAll { $0.key == key }
                    world.note("\(name) deletes \(key.id)")
                } else {
                    try await store.patch(key.collection, key.id, [field: .string(tag)])
                    acknowledge(tag, key, field, life)
                }
                life.writes?.yield()
            } catch {
                // A process that died may have stored the write, which then replaced an earlier promise.
                if !life.isAlive { promises.removeAll { $0.key == key } }
            }
        }
    }

    private func acknowledge(_ tag: String, _ key: ModelServer.Key, _ field: String, _ life: Life) {
        promises.removeAll { $0.key == key && $0.field == field }
        promises.append(Promise(tag: tag, key: key, field: field))
        world.note("\(name) wrote \(tag) to \(key.id) \(field)")
    }

    func resolve(keepingLocal: Bool, all: Bool = false) {
        guard isCounted("conflict") else { return }
        act { [self] store, life in
            guard let open = try? await store.conflicts() else { return }
            for conflict in open.sorted(by: { $0.entityId < $1.entityId }).prefix(all ? 100 : 1) {
                let key = ModelServer.Key(collection: conflict.collection, id: conflict.entityId)
                // A discarded edit is no promise. A failed call may have taken effect.
                if !keepingLocal { promises.removeAll { $0.key == key } }
                try? await store.resolve(conflict.id, keeping: keepingLocal ? .local : .remote)
                world.note("\(name) resolves \(key.id) \(keepingLocal)")
            }
            life.writes?.yield()
        }
    }

    /// Whether there are such rows; without them an act is skipped.
    private func isCounted(_ rows: String) -> Bool {
        let sql = "SELECT COUNT(*) FROM \(rows)"
        return (try? disk.access { try Int.fetchOne($0.cachedStatement(sql: sql)) }) != 0
    }

    /// Discards the entries that the server rejected.
    func discardRefused() {
        guard isCounted("outbox WHERE state = 'rejected'") else { return }
        act { [self] store, life in
            for entry in (try? await store.entries()) ?? [] where entry.state == .rejected {
                let key = ModelServer.Key(collection: entry.mutation.collection, id: entry.mutation.entityId)
                promises.removeAll { $0.key == key }
                try? await store.discard(entry.id)
            }
            life.writes?.yield()
        }
    }

    /// Edits the database by hand.
    func tamper(_ choice: Int) {
        let statements = [
            "DELETE FROM note WHERE id IN (SELECT MIN(id) FROM note)",
            "INSERT OR IGNORE INTO note (id, text, version) VALUES ('stranger', 'x', 7)",
            "UPDATE note SET text = 'altered', version = version + 1",
            "DELETE FROM base_row WHERE entity_id IN (SELECT MAX(entity_id) FROM base_row)",
            "UPDATE base_row SET version = version + 100 WHERE entity_id IN (SELECT MIN(entity_id) FROM base_row)",
            """
            INSERT OR IGNORE INTO base_row (collection, entity_id, version, updated_at, data, round, checksum)
            SELECT 'notes', 'ghost', 3, 0, '{"text":"x"}', round, 0 FROM cursor
            """,
            "UPDATE base_row SET data = '{\"text\":\"forged\"}' WHERE entity_id IN (SELECT MIN(entity_id) FROM base_row)",
            "UPDATE base_row SET data = 'garbage', updated_at = 'never'",
        ]
        do { try disk.access { try $0.execute(sql: statements[choice % statements.count]) } } catch {
            world.fail("\(name): tampering failed: \(error)")
        }
        isTampered = true
    }

    // MARK: - The disk

    /// Checks the state after a commit.
    override func committed() {
        isChanged = true
        do {
            try disk.access { db in
                let cursor = try String.fetchOne(db.cachedStatement(sql: "SELECT cursor FROM cursor"))
                guard cursor != knownCursor else { return }
                knownCursor = cursor
                if let cursor { try Invariants.checkCursor(cursor, self, db) }
            }
        } catch { world.fail("\(name): the database cannot be read: \(error)") }
    }

    /// The text that Swift prints, without reflection, which is slow.
    private static func text(_ report: SyncReport) -> String {
        "SyncReport(pushed: \(report.pushed), pulled: \(report.pulled), merged: \(report.merged), "
            + "conflicts: \(report.conflicts), rejected: \(report.rejected))"
    }

    private static func kind(_ error: DomainError) -> String {
        String("\(error)".prefix(40))
    }
}

extension PlantedBug {
    /// The SQL trigger that causes the defect.
    var trigger: String? {
        switch self {
        case .lostWrite:
            """
            CREATE TRIGGER bug AFTER INSERT ON outbox WHEN NEW.client_seq % 5 = 4 BEGIN
                DELETE FROM outbox WHERE client_seq = NEW.client_seq; END
            """
        case .reversedLane:
            """
            CREATE TRIGGER bug AFTER INSERT ON outbox WHEN NEW.client_seq > 0 AND NEW.operation = 'patch' BEGIN
                UPDATE client SET last_seq = NEW.client_seq;
                UPDATE outbox SET client_seq = -NEW.client_seq WHERE client_seq = NEW.client_seq; END
            """
        case .greedyReplacement:
            """
            CREATE TRIGGER bug AFTER UPDATE OF replacing ON cursor WHEN OLD.replacing = 1 AND NEW.replacing = 0 BEGIN
                DELETE FROM outbox; END
            """
        case .staleRow:
            """
            CREATE TRIGGER bug AFTER UPDATE OF version ON note WHEN NEW.version % 3 = 2 BEGIN
                UPDATE note SET mark = 'lost' WHERE id = NEW.id; END
            """
        default: nil
        }
    }
}
