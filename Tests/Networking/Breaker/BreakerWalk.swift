import StrataTesting

@testable import StrataNetworking

/// A random walk of one circuit, with a second, plainer account of what the circuit must do beside it.
///
/// The account keeps every outcome of the closed circuit with its time and counts them anew each time; it tells old
/// permits from new ones by an epoch of its own.
struct BreakerWalk {
    private enum Account {
        case closed([(at: Duration, isFailure: Bool)])
        case open(until: Duration)
        case halfOpen(probeUntil: Duration?)
    }

    private struct Permit {
        let generation: Int
        let epoch: Int
    }

    private let options: BreakerOptions
    private var random: SeededRandom
    private var state = BreakerState()
    private var now = Duration.zero
    private var account = Account.closed([])
    private var epoch = 0
    private var pause = Duration.zero
    private var inFlight: [Permit] = []
    private var problem: String?

    init(seed: UInt64, _ options: BreakerOptions) {
        random = SeededRandom(seed: seed)
        self.options = options
    }

    /// - Returns: What went wrong; `nil` when nothing did.
    mutating func run(steps: Int) -> String? {
        for step in 0..<steps where problem == nil {
            take()
            compare("step \(step)")
        }
        if problem == nil { heal() }
        return problem
    }

    private mutating func take() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: now += step()
        case 25..<60: admit()
        case 60..<93: report([.success, .failure, .failure, .neutral].randomElement(using: &random) ?? .failure)
        case 93..<97: drop()
        default: break
        }
    }

    private mutating func step() -> Duration {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .zero
        case 1: max(pause, .milliseconds(1))
        case 2: max(pause, .milliseconds(2)) - .milliseconds(1)
        case 3: .seconds(Int.random(in: 1...60, using: &random))
        default: .milliseconds(Int.random(in: 1...900, using: &random))
        }
    }

    private mutating func admit() {
        let admission = state.admit(at: now)
        let expected: BreakerState.Admission
        switch account {
        case .closed: expected = .admitted(generation: state.generation, isProbe: false)
        case .open(let until) where now < until: expected = .rejected(until: until)
        case .halfOpen(let until?) where now < until: expected = .rejected(until: until)
        case .open, .halfOpen: expected = startProbe()
        }
        if admission != expected { problem = "expected \(expected), got \(admission)" }
        if case .admitted(let generation, _) = admission {
            inFlight.append(Permit(generation: generation, epoch: epoch))
        }
    }

    private mutating func startProbe() -> BreakerState.Admission {
        enter(.halfOpen(probeUntil: now + pause))
        return .admitted(generation: state.generation, isProbe: true)
    }

    private mutating func report(_ outcome: BreakerState.Outcome) {
        guard let place = inFlight.indices.randomElement(using: &random) else { return }
        let permit = inFlight.remove(at: place)
        let before = state
        state.report(outcome, generation: permit.generation, at: now, options)
        guard permit.epoch == epoch else {
            if state != before { problem = "a report of an older time changed \(before) into \(state)" }
            return
        }
        switch (account, outcome) {
        case (.closed(let outcomes), .success): account = .closed(outcomes + [(now, false)])
        case (.closed(let outcomes), .failure):
            account = .closed(outcomes + [(now, true)])
            if isBroken(outcomes + [(now, true)]) { open() }
        case (.halfOpen(.some), .success): enter(.closed([]))
        case (.halfOpen(.some), .failure): open()
        case (.halfOpen(.some), .neutral): enter(.halfOpen(probeUntil: nil))
        default: break
        }
    }

    private func isBroken(_ outcomes: [(at: Duration, isFailure: Bool)]) -> Bool {
        if let limit = options.failures, outcomes.suffix(limit).count(where: \.isFailure) == limit { return true }
        guard let ratio = options.ratio else { return false }
        let slice = { (at: Duration) in at.attoseconds * 10 / ratio.window.attoseconds }
        let counted = outcomes.filter { slice($0.at) > slice(now) - 10 }
        let failures = counted.count(where: \.isFailure)
        return counted.count >= ratio.minimumCalls && Double(failures) >= ratio.share * Double(counted.count)
    }

    private mutating func open() {
        guard case .open(let until) = state.phase else {
            problem = "still \(state.phase) after a failure that had to open it"
            return
        }
        pause = until - now
        if pause != options.pause { problem = "the pause took \(pause), not \(options.pause)" }
        enter(.open(until: until))
    }

    /// The caller will never report.
    private mutating func drop() {
        if let place = inFlight.indices.randomElement(using: &random) { inFlight.remove(at: place) }
    }

    private mutating func enter(_ account: Account) {
        self.account = account
        epoch += 1
    }

    private mutating func compare(_ step: String) {
        let isEqual =
            switch (account, state.phase) {
            case (.closed, .closed): true
            case (.open(let one), .open(let other)): one == other
            case (.halfOpen(let one), .halfOpen(let other)): one == other
            default: false
            }
        if problem == nil, !isEqual { problem = "\(state.phase) instead of \(account)" }
        problem = problem.map { "\(step), at \(now): \($0)" }
    }

    /// From here on the server answers well. What is out now never reports, or reports a failure of the bad time.
    private mutating func heal() {
        let late = inFlight.filter { $0.epoch < epoch }
        now += pause
        for permit in late where Bool.random(using: &random) {
            state.report(.failure, generation: permit.generation, at: now, options)
        }
        guard case .admitted(let generation, _) = state.admit(at: now) else {
            problem = "stuck in \(state.phase) after a pause with a healthy server"
            return
        }
        state.report(.success, generation: generation, at: now, options)
        if state.phase != .closed { problem = "still \(state.phase) after a pause" }
    }
}
