public import Metrics
import StrataConcurrency

/// A registry of metrics in the Prometheus text format, version 0.0.4. `MetricsSystem.bootstrap` accepts it to collect the
/// metrics of libraries as well.
///
/// A name has one kind; for another kind of a known name it returns a handler that does nothing. The number of series is
/// bounded; above the bound new ones are dropped.
public final class PrometheusRegistry: MetricsFactory {
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    struct Series: Sendable, Hashable {
        var name: String
        /// Rendered: `{method="GET",route="/v1/me"}` or empty.
        var labels: String
    }

    struct State {
        var kinds: [String: Kind] = [:]
        var series: [Series: any PrometheusSeries] = [:]
        /// By whole name.
        var help: [String: String] = [:]
        var sources: [(isPrefixed: Bool, samples: @Sendable () -> [MetricSample])] = []
    }

    private let prefix: String
    private let maxSeries: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - prefix: Added to every name that lacks it, such as `tides_`. Default: none.
    ///   - maxSeries: Most combinations of name and labels. Default 5000.
    public init(prefix: String = "", maxSeries: Int = 5000) {
        self.prefix = PrometheusText.name(prefix, allowEmpty: true)
        self.maxSeries = maxSeries
    }

    /// The current metrics, sorted by name and labels.
    public func text() -> String {
        let state = state.withLock { $0 }
        let samples = state.sources.flatMap { source in
            source.samples().map { sample in
                source.isPrefixed ? MetricSample(fullName(sample.name), sample.kind, sample.help, sample.value) : sample
            }
        }
        return PrometheusText.render(kinds: state.kinds, series: state.series, help: state.help, samples: samples)
    }

    /// Sets the `HELP` text of a metric, one sentence, which swift-metrics cannot express.
    public func describe(_ name: String, _ help: String) {
        let name = fullName(name)
        state.withLock { $0.help[name] = help }
    }

    /// Adds samples that are read at each scrape.
    ///
    /// - Parameters:
    ///   - prefixed: Puts the registry's prefix before their names. Default `true`.
    ///   - source: Must not block. Of two samples of one name, the one of the later source is shown.
    public func collect(prefixed: Bool = true, _ source: @escaping @Sendable () -> [MetricSample]) {
        state.withLock { $0.sources.append((prefixed, source)) }
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter, make: PrometheusCounter.init) ?? NOOPMetricsHandler.instance
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter, make: PrometheusCounter.init) ?? NOOPMetricsHandler.instance
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge, make: PrometheusGauge.init) ?? NOOPMetricsHandler.instance
    }

    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate {
            return series(label, dimensions, .histogram) { PrometheusHistogram(bounds: PrometheusHistogram.values) }
                ?? NOOPMetricsHandler.instance
        }
        return series(label, dimensions, .gauge, make: PrometheusGauge.init) ?? NOOPMetricsHandler.instance
    }

    /// Timers are histograms in seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram) { PrometheusHistogram(bounds: PrometheusHistogram.seconds) }
            ?? NOOPMetricsHandler.instance
    }

    public func destroyCounter(_ handler: any CounterHandler) { forget(handler) }
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { forget(handler) }
    public func destroyMeter(_ handler: any MeterHandler) { forget(handler) }
    public func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }
    public func destroyTimer(_ handler: any TimerHandler) { forget(handler) }

    private func series<Metric: PrometheusSeries>(
        _ label: String, _ dimensions: [(String, String)], _ kind: Kind, make: () -> Metric
    ) -> Metric? {
        let name = fullName(label)
        let key = Series(name: name, labels: PrometheusText.labels(dimensions))
        return state.withLock { state in
            if let known = state.series[key] { return known as? Metric }
            guard state.kinds[name, default: kind] == kind, state.series.count < maxSeries else { return nil }
            let handler = make()
            state.kinds[name] = kind
            state.series[key] = handler
            return handler
        }
    }

    private func fullName(_ label: String) -> String {
        let cleaned = PrometheusText.name(label, allowEmpty: false)
        return cleaned.hasPrefix(prefix) ? cleaned : prefix + cleaned
    }

    private func forget(_ handler: AnyObject) {
        state.withLock { state in
            guard let key = state.series.first(where: { $0.value === handler })?.key else { return }
            state.series[key] = nil
            if !state.series.keys.contains(where: { $0.name == key.name }) { state.kinds[key.name] = nil }
        }
    }
}
