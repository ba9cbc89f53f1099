import FoundationEssentials
import StrataDomain
import StrataTesting

/// One simulated run: the scheduler, the random numbers, the faults of the server, and the trace.
// Sendable proof: only the thread of the scheduler touches it.
class Run: @unchecked Sendable {
    let scheduler: Scheduler
    var random: SeededRandom
    private(set) var violation: String?
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var trace: [String] = []
    private let keepsTrace: Bool

    /// The error status of the server, and when it ends.
    var failure: (status: Int, until: Duration)?
    /// Messages from before a restored backup are not delivered.
    var generation = 0

    init(seed: UInt64, keepsTrace: Bool) {
        scheduler = Scheduler(seed: seed)
        random = SeededRandom(seed: seed ^ 0x5EED)
        self.keepsTrace = keepsTrace
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
