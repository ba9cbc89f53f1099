import Metrics
public import StrataDomain

/// Counts events with swift-metrics: `strata_client_calls_total{outcome}`, `strata_client_call_seconds`,
/// `strata_client_attempts_total`, `strata_client_retries_total`, `strata_client_circuit_total{change}`,
/// `strata_client_token_refreshes_total{outcome}`, `strata_client_hedges_total`, `strata_client_redirects_total`,
/// `strata_client_joined_calls_total`.
public enum NetworkMetrics {
    /// A sink that counts and then hands the event to `next`.
    public static func counting(then next: @escaping EventSink = { _ in }) -> EventSink {
        { event in
            record(event.kind)
            next(event)
        }
    }

    private static func record(_ kind: NetworkEvent.Kind) {
        switch kind {
        case .callFinished(let outcome, let duration):
            count("calls", [("outcome", outcome)])
            Timer(label: "strata_client_call_seconds").record(duration: duration)
        case .attemptStarted: count("attempts")
        case .retryScheduled: count("retries")
        case .circuit(_, let change): count("circuit", [("change", change.rawValue)])
        case .refreshFinished(let failure): count("token_refreshes", [("outcome", failure == nil ? "done" : "failed")])
        case .hedgeStarted: count("hedges")
        case .redirected: count("redirects")
        case .joined: count("joined_calls")
        case .callStarted, .attemptFinished, .retryDeclined, .hedgeDeclined, .redirectDeclined, .paused,
            .refreshStarted,
            .sessionEnded:
            break
        }
    }

    private static func count(_ name: String, _ dimensions: [(String, String)] = []) {
        Counter(label: "strata_client_\(name)_total", dimensions: dimensions).increment()
    }
}
