import StrataConcurrency

/// What the chaotic server knows: commits, answers by idempotency key, how often each token may still be used.
final class ChaosLedger: Sendable {
    struct Counts: Sendable {
        var requests = 0
        /// Committed, and the connection ended before the answer did.
        var dropped = 0
        var replayed = 0
        var refused = 0
        var expired = 0
    }

    private struct State {
        var commits: [Int: Int] = [:]
        var answers: [String: String] = [:]
        var visits: [Int: Int] = [:]
        var uses: [String: Int] = [:]
        var counts = Counts()
    }

    private let state = Mutex(State())
    private let plan: ChaosPlan
    /// Requests that one token is good for.
    private let tokenLife: Int

    init(_ plan: ChaosPlan, tokenLife: Int) {
        self.plan = plan
        self.tokenLife = tokenLife
    }

    /// How often each call took effect.
    var commits: [Int: Int] { state.withLock(\.commits) }
    var counts: Counts { state.withLock(\.counts) }

    /// - Returns: `nil` for a token that has expired.
    func fate(ofCall call: Int, token: String) -> Fate? {
        state.withLock { state in
            state.counts.requests += 1
            state.uses[token, default: 0] += 1
            guard state.uses[token, default: 0] <= tokenLife else {
                state.counts.expired += 1
                return nil
            }
            state.visits[call, default: 0] += 1
            let fate = plan.fate(ofCall: call, visit: state.visits[call, default: 0])
            switch fate {
            case .drop, .cut: state.counts.dropped += 1
            case .reset, .busy: state.counts.refused += 1
            case .answer, .answerLate, .commitLate, .silence: break
            }
            return fate
        }
    }

    /// Commits once per key, as `Idempotency-Key` asks; a request without key commits each time.
    ///
    /// - Returns: The answer, stored or new.
    func commit(_ call: Int, key: String?) -> String {
        state.withLock { state in
            if let key, let stored = state.answers[key] {
                state.counts.replayed += 1
                return stored
            }
            state.commits[call, default: 0] += 1
            let answer = #"{"name":"\#(call)","metres":4.2}"#
            if let key { state.answers[key] = answer }
            return answer
        }
    }
}
