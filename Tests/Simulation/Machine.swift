import FoundationEssentials
import GRDB
import StrataTesting

/// What any simulated device has: a disk, clocks, a network that fails, and processes that end.
// Sendable proof: only the thread of the scheduler touches it.
class Machine: @unchecked Sendable {
    struct Crash {
        var count: Int
        var afterCommit: Bool
        var restart: Int
    }

    struct Cuts {
        var requests = Duration.zero
        var answers = Duration.zero
    }

    let index: Int
    let disk: SimulatedDisk
    let wallClock = ManualWallClock()
    let link = ManualConnectivity()
    unowned let run: Run
    var cuts = Cuts()
    var stormUntil = Duration.zero
    var tokenExpiredUntil = Duration.zero
    var fullUntil = Duration.zero
    var frozenUntil = Duration.zero
    var armed: Crash?
    var life: Life?
    private var acts: [@Sendable () async -> Void] = []
    private var isActing = false

    var name: String { "d\(index)" }

    init(_ index: Int, _ run: Run, _ disk: SimulatedDisk) {
        (self.index, self.run, self.disk) = (index, run, disk)
    }

    /// Starts the process, if none runs.
    func start() {}

    /// Checks the state after a commit.
    func committed() {}

    /// Called with the work of a transaction that the process does not live to commit. It does nothing.
    func lose(_ work: (Database) throws -> Void) {}

    func crash(_ life: Life, restart: Int) {
        guard life.isAlive else { return }
        run.note("\(name) dies")
        life.end()
        guard life === self.life else { return }
        self.life = nil
        run.scheduler.after(.milliseconds(restart)) { [weak self] in self?.start() }
    }

    /// Runs an act of a user. Acts run one after another.
    func act(_ work: @escaping @Sendable () async -> Void) {
        acts.append(work)
        guard !isActing else { return }
        isActing = true
        run.spawn { [self] in
            while !acts.isEmpty { await acts.removeFirst()() }
            isActing = false
        }
    }

    func isCut(_ direction: KeyPath<Cuts, Duration>) -> Bool { run.now < cuts[keyPath: direction] }

    func heal() {
        cuts = Cuts()
        (stormUntil, tokenExpiredUntil, fullUntil, frozenUntil, armed) = (.zero, .zero, .zero, .zero, nil)
        // The loop is not notified; it must find the damage.
        if life == nil { start() }
    }

    /// Returns when the device is no longer frozen.
    func thaw() async {
        while run.now < frozenUntil {
            let wait = min(frozenUntil - run.now, .milliseconds(500))
            await withCheckedContinuation { continuation in run.scheduler.after(wait) { continuation.resume() } }
        }
    }

    /// The crash that ends the process at the next write; `nil` if there is none.
    func crashDue() -> Crash? {
        guard var crash = armed else { return nil }
        crash.count -= 1
        armed = crash.count < 0 ? nil : crash
        return crash.count < 0 ? crash : nil
    }
}
