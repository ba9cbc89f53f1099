import Metrics
import StrataConcurrency

/// One time series: a name with labels.
protocol PrometheusSeries: AnyObject, Sendable {
    /// Suffix of the name, additional label, value.
    var samples: [(suffix: String, label: (String, String)?, value: Double)] { get }
}

final class PrometheusCounter: PrometheusSeries, CounterHandler, FloatingPointCounterHandler {
    private let total = Mutex(0.0)

    var samples: [(suffix: String, label: (String, String)?, value: Double)] {
        [("", nil, total.withLock { $0 })]
    }

    func increment(by amount: Int64) { increment(by: Double(amount)) }
    /// Ignores negative and non-finite amounts, because a counter never decreases.
    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        total.withLock { $0 += amount }
    }
    func reset() { total.withLock { $0 = 0 } }
}

final class PrometheusGauge: PrometheusSeries, MeterHandler, RecorderHandler {
    private let now = Mutex(0.0)

    var samples: [(suffix: String, label: (String, String)?, value: Double)] {
        [("", nil, now.withLock { $0 })]
    }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { now.withLock { $0 = value } }
    func increment(by amount: Double) { now.withLock { $0 += amount } }
    func decrement(by amount: Double) { now.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
}

final class PrometheusHistogram: PrometheusSeries, TimerHandler, RecorderHandler {
    /// From a cached response to the longest long poll.
    static let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    static let values = [1.0, 10, 100, 1000, 10_000, 100_000, 1_000_000]

    private struct State {
        var counts: [Int]
        var count = 0
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    /// - Parameter bounds: Upper bounds of the buckets, rising.
    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: bounds.map { _ in 0 }))
    }

    var samples: [(suffix: String, label: (String, String)?, value: Double)] {
        let state = state.withLock { $0 }
        var samples: [(suffix: String, label: (String, String)?, value: Double)] = []
        var below = 0
        for (bound, count) in zip(bounds, state.counts) {
            below += count
            samples.append(("_bucket", ("le", PrometheusText.number(bound)), Double(below)))
        }
        samples.append(("_bucket", ("le", "+Inf"), Double(state.count)))
        samples.append(("_sum", nil, state.sum))
        samples.append(("_count", nil, Double(state.count)))
        return samples
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) {
        guard value.isFinite else { return }
        let bucket = bounds.firstIndex { value <= $0 }
        state.withLock { state in
            if let bucket { state.counts[bucket] += 1 }
            state.count += 1
            state.sum += value
        }
    }
}
