import StrataConcurrency

/// A progress line on a terminal; prints nothing elsewhere.
public final class ProgressBar: Sendable {
    private let label: String
    /// Total number of units; `nil` if unknown.
    private let total: Int?
    private let sink: (any TextSink)?
    private let isDrawn = Mutex(false)

    init(label: String, total: Int?, sink: (any TextSink)?) {
        self.label = SafeText.oneLine(label)
        self.total = total.flatMap { $0 > 0 ? $0 : nil }
        self.sink = sink
    }

    /// - Parameters:
    ///   - done: Completed units, for the bar.
    ///   - detail: Text after the bar: `1200 accepted`.
    public func update(done: Int, detail: String) {
        guard let sink else { return }
        isDrawn.withLock { $0 = true }
        sink.write("\r\u{1B}[K" + line(done: done, detail: detail, width: sink.width ?? 80))
    }

    /// Removes the line.
    public func finish() {
        guard let sink, isDrawn.withLock({ $0 }) else { return }
        isDrawn.withLock { $0 = false }
        sink.write("\r\u{1B}[K")
    }

    private func line(done: Int, detail: String, width: Int) -> String {
        // A long label is cut, so that the bar stays visible.
        var text = DisplayWidth.cut(label, to: max(8, width / 4))
        if let total {
            let cells = width < 72 ? 10 : 20
            let share = min(1, max(0, Double(done) / Double(total)))
            let filled = Int(share * Double(cells))
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: cells - filled)
            text += " \(bar) \(Int(share * 100)) %"
        }
        return DisplayWidth.cut("\(text)  \(SafeText.oneLine(detail))", to: width - 1)
    }
}

extension Console {
    /// A progress line on standard error, if that is a terminal.
    ///
    /// - Parameter total: Total number of units; `nil` if unknown.
    public func progress(_ label: String, total: Int?) -> ProgressBar {
        ProgressBar(label: label, total: total, sink: errors.isTerminal ? errors : nil)
    }
}
