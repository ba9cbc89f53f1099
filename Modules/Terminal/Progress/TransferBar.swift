public import StrataDomain

extension Console {
    /// Runs a transfer with a progress bar on a terminal; the bar is removed before this returns.
    ///
    /// - Parameters:
    ///   - label: Text before the bar: `fetch kernel.iso`.
    ///   - transfer: The transfer; `progress` ends with it.
    public func showing<Value: Sendable>(
        _ progress: TransferProgress, _ label: String, clock: any Clock<Duration> = ContinuousClock(),
        _ transfer: () async throws -> Value
    ) async throws -> Value {
        try await outcome(showing: progress, label, clock: clock, transfer).result.get()
    }

    /// Like `showing`, for callers that report a failure.
    ///
    /// - Returns: The result of the transfer, and the number of bytes received.
    func outcome<Value: Sendable, Failure: Error>(
        showing progress: TransferProgress, _ label: String, clock: any Clock<Duration>,
        _ transfer: () async throws(Failure) -> Value
    ) async -> (result: Result<Value, Failure>, bytes: Int64) {
        async let drawn = TransferBar(label: label, console: self, clock: clock).draw(progress.updates)
        let result: Result<Value, Failure>
        do throws(Failure) { result = .success(try await transfer()) } catch { result = .failure(error) }
        progress.finish()
        return (result, await drawn)
    }
}

/// The progress bar of a transfer: bytes, rate and remaining time.
struct TransferBar {
    let label: String
    let console: Console
    let clock: any Clock<Duration>

    /// Minimum time between two updates of the bar.
    private static let pause = Duration.milliseconds(100)

    /// - Returns: The last count.
    func draw(_ updates: TransferProgress.Updates) async -> Int64 {
        let start = Stopwatch(clock)
        var bar: ProgressBar?
        var total: Int64?
        var last: Stopwatch?
        var bytes: Int64 = 0
        for await count in updates {
            bytes = count.bytes
            let isDue = last.map { $0.elapsed >= Self.pause } ?? true
            guard isDue || count.bytes == count.total else { continue }
            last = Stopwatch(clock)
            // The total is known from the response.
            if bar == nil || total != count.total {
                total = count.total
                bar = console.progress(label, total: total.flatMap(Int.init(exactly:)))
            }
            bar?.update(done: Int(clamping: count.bytes), detail: Self.detail(count, after: start.elapsed))
        }
        bar?.finish()
        return bytes
    }

    /// `98.6 MB of 209 MB  12.3 MB/s  9 s left`; the rate is known after a second.
    static func detail(_ count: TransferCount, after elapsed: Duration) -> String {
        var text = QuantityText.bytes(count.bytes)
        if let total = count.total { text += " of \(QuantityText.bytes(total))" }
        // Bytes of an earlier run do not count for the rate.
        let (arrived, seconds) = (count.bytes - count.resumedFrom, elapsed / .seconds(1))
        guard seconds >= 1, arrived > 0 else { return text }
        let rate = min(Double(arrived) / seconds, 1e15)
        text += "  \(QuantityText.bytes(Int64(rate)))/s"
        if let total = count.total, total > count.bytes {
            let left = min(Double(total - count.bytes) / rate, 1e9)
            text += "  \(QuantityText.duration(.seconds(left))) left"
        }
        return text
    }
}
