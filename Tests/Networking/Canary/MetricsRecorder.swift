import Metrics
import StrataTesting

/// Keeps the label and the dimensions of every metric that was made.
final class MetricsRecorder: MetricsFactory {
    private let made = Shared<[String]>([])

    var names: [String] { made.value }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        note(label, dimensions)
        return NOOPMetricsHandler.instance
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        note(label, dimensions)
        return NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        note(label, dimensions)
        return NOOPMetricsHandler.instance
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private func note(_ label: String, _ dimensions: [(String, String)]) {
        made.change { $0.append("\(label)\(dimensions)") }
    }
}
