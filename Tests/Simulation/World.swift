import FoundationEssentials
import StrataDomain
import StrataTesting

/// One run: the scheduler, the server, the devices, and what has been seen of them.
// Sendable proof: only the thread of the scheduler touches it.
final class World: @unchecked Sendable {
    let scheduler: Scheduler
    let server = ModelServer()
    let bug: PlantedBug?
    let isClockPerfect: Bool
    /// Half of the servers know pages only.
    let offersSnapshots: Bool
    var random: SeededRandom
    var devices: [Device] = []
    private(set) var violation: String?
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var trace: [String] = []
    private let keepsTrace: Bool

    /// What the server answers instead of working, and until when.
    var failure: (status: Int, until: Duration)?
    /// Messages of an earlier life of the server are not delivered.
    var generation = 0

    init(seed: UInt64, bug: PlantedBug?, isClockPerfect: Bool, keepsTrace: Bool) {
        scheduler = Scheduler(seed: seed)
        random = SeededRandom(seed: seed ^ 0x5EED)
        self.bug = bug
        self.isClockPerfect = isClockPerfect
        offersSnapshots = seed % 2 == 0
        self.keepsTrace = keepsTrace
        server.forgetsResults = bug == .forgottenResult
    }

    var now: Duration { scheduler.now }

    func note(_ event: @autoclosure () -> String) {
        let line = event()
        for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ UInt64(bitPattern: now.milliseconds)) &* 0x0000_0100_0000_01B3
        if keepsTrace { trace.append("\(now.milliseconds) ms: \(line)") }
    }

    /// The first sentence that turned out not to be true ends the run.
    func fail(_ sentence: String) {
        guard violation == nil else { return }
        violation = sentence
        note("VIOLATION \(sentence)")
    }

    func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    /// Starts a task that runs on the scheduler.
    @discardableResult
    func spawn(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: scheduler) { await work() }
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

/// A defect put into the surroundings of the engine, to see that the simulation notices it.
enum PlantedBug: String, CaseIterable, Sendable {
    /// The disk says that a local write is stored and forgets it.
    case lostWrite
    /// The server forgets what it answered.
    case forgottenResult
    /// A page arrives without its last row, its cursor as if it were complete.
    case shortPage
    /// Writes of one row leave in the reverse of their order.
    case reversedLane
    /// One refused write keeps all writes of its device from being answered.
    case blockingPoison
    /// Long waits never end.
    case deadTimer
    /// Deletions do not arrive.
    case deafToDeletions
    /// The end of a replacement round takes unsynchronised writes along.
    case greedyReplacement
    /// The row that people see loses an edit that is queued.
    case staleRow
    /// Changes that look older than this device's clock are skipped.
    case clockDecides
    /// The engine compares no rows.
    case noVerification
}
