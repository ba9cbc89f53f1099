import StrataConcurrency
public import StrataDomain

/// Runs the engine for as long as its task lives: at the start, on local writes, when the network or the session comes
/// back, when the server has changes, and after a wait that always ends.
///
/// Several loops may watch one database, one in each process: the engine works for one of them at a time, and a write of
/// any process reaches the others as a local change.
public struct SyncLoop: Sendable {
    /// How often a loop runs.
    public struct Settings: Sendable, Hashable {
        /// How often to run when nothing happens. Default: 60 s.
        public var poll: Duration
        /// Seconds for which the server may hold a request until it has changes, 1 to 30; `nil` sends no such request. Default: 25.
        public var longPollSeconds: Int?
        var backoff = Backoff.outbox

        /// The standard settings, but for those that are given.
        public init(poll: Duration = .seconds(60), longPollSeconds: Int? = 25) {
            self.poll = poll
            self.longPollSeconds = longPollSeconds.map { min(max($0, 1), 30) }
        }
    }

    /// An event of the loop.
    public enum Event: Sendable {
        /// A run begins.
        case started
        /// A run has ended, with what it did.
        case synchronised(SyncReport)
        /// A run has failed; the loop goes on.
        case failed(DomainError)
        /// The loop waits in this phase, for this long at most.
        case waiting(SyncSchedule.Phase, Duration)
    }

    private let engine: SyncEngine
    private let settings: Settings
    private let connectivity: any ConnectivityMonitor
    private let localWrites: @Sendable () -> AsyncStream<Void>
    private let clock: any Clock<Duration>
    private let random: RandomSource
    private let signal = SyncSignal()
    private let onEvent: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - localWrites: An element whenever something was written here, as `OfflineStore.changes` tells it.
    ///   - onEvent: Called between the steps; it must not wait.
    public init(
        engine: SyncEngine, settings: Settings = Settings(),
        connectivity: any ConnectivityMonitor = FixedConnectivity(.online),
        localWrites: @escaping @Sendable () -> AsyncStream<Void>,
        clock: any Clock<Duration> = ContinuousClock(), random: RandomSource = RandomSource(),
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.engine = engine
        self.settings = settings
        self.connectivity = connectivity
        self.localWrites = localWrites
        self.clock = clock
        self.random = random
        self.onEvent = onEvent
    }

    /// Tells the loop about an event that it cannot observe: a login.
    public func notify(_ wake: SyncWake) { signal.send(wake) }

    /// Returns when its task is cancelled.
    public func run() async {
        await withTaskGroup { group in
            group.addTask { [connectivity, signal] in
                // An online network at the start is no change.
                var known = Connectivity.online
                for await state in connectivity.states() where state != known {
                    known = state
                    signal.send(state == .online ? .online : .offline)
                }
            }
            group.addTask { [localWrites, signal, engine] in
                for await _ in localWrites() {
                    // The engine's own writes are local changes too. Only a queued write needs a run.
                    if (try? await engine.status().pending) != 0 { signal.send(.localWrite) }
                }
            }
            await work()
            group.cancelAll()
        }
    }

    private func work() async {
        var schedule = SyncSchedule(poll: settings.poll, backoff: settings.backoff)
        // A comparison reads every row, so it happens at the start and after idle waits.
        var isVerifying = true
        while !Task.isCancelled {
            // This run covers all earlier signals; the next run covers those that come now.
            for wake in signal.take() { _ = schedule.notes(wake) }
            onEvent(.started)
            let outcome = await attempt(isVerifying)
            if Task.isCancelled { return }
            let wait = schedule.wait(after: outcome, fraction: random.fraction())
            onEvent(.waiting(schedule.phase, wait))
            (schedule, isVerifying) = await rest(wait, schedule)
        }
    }

    private func attempt(_ isVerifying: Bool) async -> SyncSchedule.Outcome {
        do {
            let report = try await engine.sync(.now, verifying: isVerifying)
            onEvent(.synchronised(report))
            return .done(try await engine.database.leftover(), hasSent: report.pushed > 0)
        } catch {
            onEvent(.failed(error))
            return .failed(error)
        }
    }

    /// Waits until the time is over or a signal needs a run.
    ///
    /// - Returns: Also whether the time was over.
    private func rest(_ wait: Duration, _ schedule: SyncSchedule) async -> (SyncSchedule, Bool) {
        await withTaskGroup(of: SyncSchedule?.self) { group in
            group.addTask { [clock] in
                try? await clock.sleep(for: wait)
                return nil
            }
            group.addTask { [signal] in
                var noted = schedule
                while !Task.isCancelled {
                    await signal.wait()
                    // All are noted, also those behind the one that wakes.
                    if signal.take().map({ noted.notes($0) }).contains(true) { break }
                }
                return noted
            }
            if schedule.phase == .resting, let seconds = settings.longPollSeconds {
                group.addTask { [signal] in
                    await waitForRemoteChanges(seconds, signal)
                    return schedule
                }
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            var last = first ?? schedule
            // The listener may have noted an event that does not end the wait, such as the loss of the network.
            for await other in group { if let other, other != schedule { last = other } }
            return (last, first == nil)
        }
    }

    /// Signals a newer row at the server. After a failure, the next run asks again.
    private func waitForRemoteChanges(_ seconds: Int, _ signal: SyncSignal) async {
        while !Task.isCancelled {
            do {
                if try await engine.hasRemoteChanges(within: seconds) { return signal.send(.remoteChange) }
                // A server that does not hold the request must not be polled without pause.
                try await clock.sleep(for: .seconds(1))
            } catch { break }
        }
        // Ends with the wait.
        try? await clock.sleep(for: settings.poll)
    }
}
