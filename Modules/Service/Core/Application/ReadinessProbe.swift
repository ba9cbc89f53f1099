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
        let check = Task { [store, timers, timeout] in
            (try? await withTimeLimit(until: timers.now + timeout, on: timers) { try await Self.check(store, at: now) })
                != nil
        }
        running = check
        let isReady = await check.value
        running = nil
        last = (now, isReady)
        return isReady
    }

    private static func check(_ store: any Store, at now: Date) async throws {
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
