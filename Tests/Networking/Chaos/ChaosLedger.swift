import StrataConcurrency
import StrataTesting

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

extension ChaosLedger {
    /// A server that takes `POST /v1/tides` and does to it what the plan says, over and under HTTP.
    var script: LoopbackServer.Script {
        LoopbackServer.Script { request, connection in
            for step in try await self.steps(request, connection) { try await connection.run(step) }
        }
    }

    private func steps(
        _ request: LoopbackServer.Request, _ connection: LoopbackServer.Connection
    ) async throws -> [LoopbackServer.Step] {
        // The number of the call, which its body names.
        guard let call = request.body.split(separator: "\"").lazy.compactMap({ Int($0) }).first else {
            return [.json("{}", status: "400 Bad Request")]
        }
        let key = request.values("Idempotency-Key").first
        func created() -> LoopbackServer.Step { .json(commit(call, key: key), status: "201 Created") }
        let late = LoopbackServer.Step.pause(.milliseconds(24))
        switch fate(ofCall: call, token: request.values("Authorization").first ?? "") {
        case nil: return [.json("{}", status: "401 Unauthorized")]
        case .answer?: return [created()]
        case .drop?: return [created()].cut(after: 0)
        case .cut?: return [created()].cut(after: 90)
        case .answerLate?:
            let answer = created()
            return [late, answer]
        case .commitLate?:
            try await connection.run(late)
            return [created()]
        case .silence?:
            _ = created()
            return []
        case .reset?: return [.reset]
        case .busy?:
            let status = call.isMultiple(of: 2) ? "429 Too Many Requests" : "503 Service Unavailable"
            return [.json("{}", status: status, fields: ["Retry-After: 0"])]
        }
    }
}
