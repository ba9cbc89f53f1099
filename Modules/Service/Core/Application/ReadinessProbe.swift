import FoundationEssentials
import StrataConcurrency
import StrataDomain

/// Checks whether a row can be written to the database and read back.
///
/// The result is shared for a second, so probes cost at most one commit a second.
actor ReadinessProbe {
    /// The table of the row.
    static let migration = StoreMigration(
        "service-1-probe",
        "CREATE TABLE service_probe (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), at BIGINT NOT NULL)")

    /// A row for each replica, where writers run side by side: a replica that stands still inside of a write keeps its row locked.
    static let replicaMigration = StoreMigration(
        "service-2-probes", "CREATE TABLE service_probe_replica (id TEXT NOT NULL PRIMARY KEY, at BIGINT NOT NULL)")

    /// Deletes the rows of replicas that have ended.
    static func prune(at now: Date, in transaction: any StoreTransaction) throws {
        try transaction.execute("DELETE FROM service_probe_replica WHERE at < \(now.addingTimeInterval(-86_400))")
    }

    /// Of this process.
    private let id = UUID.random().text
    private let timeout: Duration = .seconds(2)

    private let store: any Store
    private let timers: TimerQueue
    private let wallClock: any WallClock
    private var last: (at: Date, isReady: Bool)?
    private var running: Task<Bool, Never>?

    /// - Parameter store: Not a `NotifyingStore`, because the commits of the probe must not wake long polls.
    init(store: any Store, timers: TimerQueue, wallClock: any WallClock) {
        self.store = store
        self.timers = timers
        self.wallClock = wallClock
    }

    func isReady() async -> Bool {
        let now = wallClock.now
        // A clock that was set back makes the age negative; the check then runs again.
        if let last, (0..<1).contains(now.timeIntervalSince(last.at)) { return last.isReady }
        if let running { return await running.value }
        let check = Task { [store, timers, timeout, id] in
            (try? await withTimeLimit(until: timers.now + timeout, on: timers) {
                try await Self.check(store, of: id, at: now)
            }) != nil
        }
        running = check
        let isReady = await check.value
        running = nil
        last = (now, isReady)
        return isReady
    }

    private static func check(_ store: any Store, of id: String, at now: Date) async throws {
        let (table, key): (Statement, StoreValue) =
            store.hasConcurrentWriters ? ("service_probe_replica", .text(id)) : ("service_probe", .integer(1))
        try await store.write { transaction in
            try transaction.execute(
                """
                INSERT INTO \(table) (id, at) VALUES (\(key), \(now)) ON CONFLICT (id) DO UPDATE SET at = excluded.at
                """)
        }
        guard try await store.read({ reader in try reader.row("SELECT at FROM \(table) WHERE id = \(key)") }) != nil
        else { throw StoreError.failed("the row that was written is not there") }
    }
}
