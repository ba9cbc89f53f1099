import StrataDomain

/// The summary of many calls. It stores the time of each call, eight bytes, so that percentiles are exact.
struct RepeatSummary: Sendable {
    private(set) var ok = 0
    private(set) var attempts = 0
    private(set) var retries = 0
    /// Number of calls by status or failure code.
    private(set) var outcomes: [String: Int] = [:]
    /// The exit status for each failure, in the order of first occurrence.
    private var failures: [(label: String, status: ExitStatus)] = []
    private var times: [Duration.Micros] = []

    var calls: Int { times.count }
    var failed: Int { calls - ok }

    mutating func add(_ outcome: CallOutcome) {
        attempts += outcome.attempts.count
        retries += outcome.retries
        times.append(outcome.duration.micros)
        if outcomes.updateValue(outcomes[outcome.label, default: 0] + 1, forKey: outcome.label) == nil,
            !outcome.isSuccess
        {
            failures.append((outcome.label, outcome.exitStatus))
        }
        if outcome.isSuccess { ok += 1 }
    }

    /// 0 if every call succeeded, otherwise the status of the most frequent failure; of equals the first.
    var exitStatus: ExitStatus {
        var result = (status: ExitStatus.done, count: 0)
        for failure in failures {
            let count = outcomes[failure.label, default: 0]
            if count > result.count { result = (failure.status, count) }
        }
        return result.status
    }

    /// The percentiles of the call times (nearest rank); zeros without calls.
    func percentiles(_ percents: [Int]) -> [Duration] {
        let sorted = times.sorted()
        return percents.map { percent in
            guard !sorted.isEmpty else { return .zero }
            let rank = (sorted.count * min(max(percent, 0), 100) + 99) / 100
            return .microseconds(sorted[max(rank, 1) - 1])
        }
    }

    /// - Parameter duration: From the start of the first call to the end of the last.
    func document(_ duration: Duration) -> Document {
        let times = percentiles([50, 95, 99, 100])
        let seconds = duration.milliseconds / 1000
        return Document(
            calls: calls, ok: ok, failed: failed, byOutcome: outcomes, attempts: attempts, retries: retries,
            p50Ms: times[0].milliseconds, p95Ms: times[1].milliseconds, p99Ms: times[2].milliseconds,
            maxMs: times[3].milliseconds, durationMs: duration.milliseconds,
            callsPerSecond: seconds > 0 ? (Double(calls) / seconds * 10).rounded() / 10 : 0)
    }

    /// The summary as JSON.
    struct Document: Encodable, Sendable {
        var calls: Int
        var ok: Int
        var failed: Int
        var byOutcome: [String: Int]
        var attempts: Int
        var retries: Int
        var p50Ms: Double
        var p95Ms: Double
        var p99Ms: Double
        var maxMs: Double
        var durationMs: Double
        var callsPerSecond: Double
    }
}

extension Duration {
    typealias Micros = Int64

    /// Whole microseconds, rounded down.
    var micros: Micros { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
