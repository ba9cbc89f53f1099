import StrataDomain

/// Draws how far a download is, while it runs.
struct FetchProgress: Sendable {
    let name: String
    let console: Console
    let clock: any Clock<Duration>

    /// Between two drawings, so that a fast download does not spend its time on a terminal.
    private static let pause = Duration.milliseconds(100)

    /// - Returns: How `work` ended, and how many bytes were there then.
    func showing<Value: Sendable>(
        _ progress: TransferProgress, _ work: () async throws(NetworkError) -> Value
    ) async -> (result: Result<Value, NetworkError>, bytes: Int64) {
        async let drawn = draw(progress.updates)
        let result: Result<Value, NetworkError>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        progress.finish()
        return (result, await drawn)
    }

    /// - Returns: The last count.
    private func draw(_ updates: TransferProgress.Updates) async -> Int64 {
        var bar: ProgressBar?
        var total: Int64?
        var last: Stopwatch?
        var bytes: Int64 = 0
        for await count in updates {
            bytes = count.bytes
            let isDue = last.map { $0.elapsed >= Self.pause } ?? true
            guard isDue || count.bytes == count.total else { continue }
            last = Stopwatch(clock)
            // The total is known with the first answer, not before.
            if bar == nil || total != count.total {
                total = count.total
                bar = console.progress("fetch \(name)", total: total.flatMap(Int.init(exactly:)))
            }
            bar?.update(done: Int(clamping: count.bytes), detail: detail(count))
        }
        bar?.finish()
        return bytes
    }

    private func detail(_ count: TransferCount) -> String {
        let bytes = count.total.map { "\(count.bytes) of \($0) bytes" } ?? "\(count.bytes) bytes"
        return count.resumedFrom > 0 ? "\(bytes), from \(count.resumedFrom)" : bytes
    }
}
