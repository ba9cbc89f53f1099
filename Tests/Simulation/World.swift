import FoundationEssentials
import StrataDomain
import StrataTesting

/// One run: the scheduler, the server, the devices and the trace.
// Sendable proof: only the thread of the scheduler touches it.
final class World: @unchecked Sendable {
    let scheduler: Scheduler
    let server = ModelServer()
    let bug: PlantedBug?
    let isClockPerfect: Bool
    /// Half of the servers have no snapshot endpoint.
    let offersSnapshots: Bool
    var random: SeededRandom
    var devices: [Device] = []
    private(set) var violation: String?
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var trace: [String] = []
    private let keepsTrace: Bool

    /// The error status of the server, and when it ends.
    var failure: (status: Int, until: Duration)?
    /// Messages from before a restored backup are not delivered.
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

    /// Ends the run with its first violated invariant.
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

/// A defect around the engine that the simulation must find.
enum PlantedBug: String, CaseIterable, Sendable {
    /// The disk confirms a local write and loses it.
    case lostWrite
    /// The server does not store its results.
    case forgottenResult
    /// A page lacks its last row, but has the cursor of the complete page.
    case shortPage
    /// Writes of one row are sent in reverse order.
    case reversedLane
    /// One refused write blocks all writes of its device.
    case blockingPoison
    /// Long waits never end.
    case deadTimer
    /// Deletions are not delivered.
    case deafToDeletions
    /// The end of a replacement round deletes unsynchronised writes.
    case greedyReplacement
    /// The displayed row lacks a queued edit.
    case staleRow
    /// Changes with a time before this device's clock are skipped.
    case clockDecides
    /// The engine does not compare rows.
    case noVerification
}
