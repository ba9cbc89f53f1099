import StrataDomain

/// The summary of many calls. It stores the time of each call in microseconds, so that percentiles are exact.
struct RepeatSummary: Sendable {
    private(set) var ok = 0
    private(set) var attempts = 0
    private(set) var retries = 0
    /// Number of calls by status or failure code.
    private(set) var outcomes: [String: Int] = [:]
    /// The exit status for each failure, in the order of first occurrence.
    private var failures: [(label: String, status: ExitStatus)] = []
    private var times: [Int64] = []

    var calls: Int { times.count }
    var failed: Int { calls - ok }

    mutating func add(_ outcome: CallOutcome) {
        attempts += outcome.attempts.count
        retries += outcome.retries
        times.append(outcome.duration.microseconds)
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

    /// The summary as JSON.
    ///
    /// - Parameter duration: From the start of the first call to the end of the last.
    func document(_ duration: Duration) -> JSONDocument {
        let times = percentiles([50, 95, 99, 100]).map(\.milliseconds)
        return [
            "calls": calls, "ok": ok, "failed": failed, "by_outcome": outcomes, "attempts": attempts,
            "retries": retries, "p50_ms": times[0], "p95_ms": times[1], "p99_ms": times[2], "max_ms": times[3],
            "duration_ms": duration.milliseconds, "calls_per_second": rate(in: duration),
        ]
    }

    /// Calls per second, with one decimal; 0 for no duration.
    func rate(in duration: Duration) -> Double {
        let seconds = duration.milliseconds / 1000
        return seconds > 0 ? (Double(calls) / seconds * 10).rounded() / 10 : 0
    }
}
