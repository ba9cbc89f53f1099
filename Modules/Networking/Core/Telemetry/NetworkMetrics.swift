import Metrics
import StrataConcurrency
public import StrataDomain

/// Counts events with swift-metrics: `strata_client_calls_total{outcome}`, `strata_client_call_seconds`,
/// `strata_client_attempts_total`, `strata_client_retries_total`, `strata_client_circuit_total{change}`,
/// `strata_client_token_refreshes_total{outcome}`, `strata_client_hedges_total`, `strata_client_redirects_total`,
/// `strata_client_joined_calls_total`, `strata_client_cache_answers_total{outcome}`.
public enum NetworkMetrics {
    /// A sink that counts and then hands the event to `next`.
    public static func counting(then next: @escaping EventSink = { _ in }) -> EventSink {
        let meters = Meters()
        return { event in
            meters.record(event.kind)
            next(event)
        }
    }
}

/// Counters and timers, made when they first count: making one costs more than counting with it.
private final class Meters: Sendable {
    private struct Made {
        var counters: [String: Counter] = [:]
        var seconds: Metrics.Timer?

        /// - Parameter value: One of a small, fixed set: each has a counter of its own.
        mutating func counter(_ name: String, _ dimension: String? = nil, _ value: String = "") -> Counter {
            let key = value.isEmpty ? name : name + value
            if let counter = counters[key] { return counter }
            let counter = Counter(
                label: "strata_client_\(name)_total", dimensions: dimension.map { [($0, value)] } ?? [])
            counters[key] = counter
            return counter
        }

        mutating func callSeconds() -> Metrics.Timer {
            if let seconds { return seconds }
            let made = Metrics.Timer(label: "strata_client_call_seconds")
            seconds = made
            return made
        }
    }

    private let made = Mutex(Made())

    func record(_ kind: NetworkEvent.Kind) {
        switch kind {
        case .callFinished(let outcome, let duration):
            let (calls, seconds) = made.withLock { ($0.counter("calls", "outcome", outcome), $0.callSeconds()) }
            calls.increment()
            seconds.record(duration: duration)
        case .attemptStarted: count("attempts")
        case .retryScheduled: count("retries")
        case .circuit(_, let change): count("circuit", "change", change.rawValue)
        case .refreshFinished(let failure): count("token_refreshes", "outcome", failure == nil ? "done" : "failed")
        case .hedgeStarted: count("hedges")
        case .redirected: count("redirects")
        case .joined: count("joined_calls")
        case .cached(let report): count("cache_answers", "outcome", report.isHit ? "hit" : "forwarded")
        case .callStarted, .attemptFinished, .retryDeclined, .hedgeDeclined, .redirectDeclined, .refreshStarted,
            .sessionEnded:
            break
        }
    }

    private func count(_ name: String, _ dimension: String? = nil, _ value: String = "") {
        made.withLock { $0.counter(name, dimension, value) }.increment()
    }
}
