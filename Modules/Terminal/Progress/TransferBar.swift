import StrataDomain

/// Draws how far a download is, while it runs.
struct FetchProgress: Sendable {
    let name: String
    let console: Console
    let clock: any Clock<Duration>

    /// Between two drawings, so that a fast download does not spend its time on a terminal.
    private static let pause = Duration.milliseconds(100)

    func showing<Value: Sendable>(
        _ progress: TransferProgress, _ work: () async throws -> Value
    ) async throws -> Value {
        async let drawn: Void = draw(progress.updates)
        do {
            let value = try await work()
            progress.finish()
            await drawn
            return value
        } catch {
            progress.finish()
            await drawn
            throw error
        }
    }

    private func draw(_ updates: TransferProgress.Updates) async {
        var bar: ProgressBar?
        var total: Int64?
        var last: Stopwatch?
        for await count in updates {
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
    }

    private func detail(_ count: TransferCount) -> String {
        let bytes = count.total.map { "\(count.bytes) of \($0) bytes" } ?? "\(count.bytes) bytes"
        return count.resumedFrom > 0 ? "\(bytes), from \(count.resumedFrom)" : bytes
    }
}
