import FoundationEssentials
import StrataConcurrency
import StrataDomain

/// Whether a row can be written to the database and read back from it.
///
/// The answer is shared by all that ask within a second, so that asking costs at most one commit a second.
actor ReadinessProbe {
    /// The table of the row.
    static let migration = StoreMigration(
        "service-1-probe",
        "CREATE TABLE service_probe (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), at BIGINT NOT NULL)")

    /// Longest the database may take.
    private let patience: Duration = .seconds(2)

    private let store: any Store
    private let timers: TimerQueue
    private let wallClock: any WallClock
    private var last: (at: Date, isReady: Bool)?
    private var running: Task<Bool, Never>?

    /// - Parameter store: Not one that tells of commits: nobody waits for this one.
    init(store: any Store, timers: TimerQueue, wallClock: any WallClock) {
        self.store = store
        self.timers = timers
        self.wallClock = wallClock
    }

    func isReady() async -> Bool {
        let now = wallClock.now
        // A clock that was put back makes the answer neither old nor new; it is looked again.
        if let last, (0..<1).contains(now.timeIntervalSince(last.at)) { return last.isReady }
        if let running { return await running.value }
        let look = Task { [store, timers, patience] in
            (try? await within(patience, on: timers) { try await Self.look(at: store, now) }) != nil
        }
        running = look
        let isReady = await look.value
        running = nil
        last = (now, isReady)
        return isReady
    }

    private static func look(at store: any Store, _ now: Date) async throws {
        try await store.write { transaction in
            try transaction.execute(
                """
                INSERT INTO service_probe (id, at) VALUES (1, \(now)) ON CONFLICT (id) DO UPDATE SET at = excluded.at
                """)
        }
        guard try await store.read({ reader in try reader.row("SELECT at FROM service_probe WHERE id = 1") }) != nil
        else { throw StoreError.failed("the row that was written is not there") }
    }
}
