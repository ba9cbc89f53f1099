import FoundationEssentials
import StrataDomain

/// Repeats a call and prints each result.
struct RequestRepetition {
    let command: RequestCommand
    let call: RequestCall
    let count: Int
    let console: Console

    /// Maximum size of one body in bytes; one body per concurrent call is in memory.
    private static let bodyLimit = 16 << 20

    func run() async throws {
        let watch = Stopwatch(call.clock)
        let run = RepeatRun(count: count, concurrency: command.concurrency) { [call] in
            await call.collect(upTo: Self.bodyLimit).0
        }
        if console.isJSON { console.output.write(#"{"calls":["#) }
        var isFirst = true
        let summary = try await run.run { number, outcome in
            if console.isJSON {
                let text = try safeJSON(outcome.document(number: number, isTraced: command.trace))
                console.output.write((isFirst ? "\n" : ",\n") + text)
            } else if command.trace || command.options.verbose {
                report(number, outcome)
            }
            isFirst = false
        }
        try finish(summary, watch.elapsed)
        if Task.isCancelled {
            throw CommandFailure(
                .interrupted, console.isJSON ? nil : "Interrupted after \(summary.calls) of \(count) calls.")
        }
        if summary.exitStatus != .done {
            throw CommandFailure(
                summary.exitStatus, console.isJSON ? nil : "\(summary.failed) of \(summary.calls) calls failed.")
        }
    }

    private func report(_ number: Int, _ outcome: CallOutcome) {
        for entry in outcome.trace { console.note("#\(number) \(entry.text)") }
        let attempts = QuantityText.count(outcome.attempts.count, "attempt")
        let reason = outcome.failure.map { "  \($0.description)" } ?? ""
        console.out(
            Text("#\(number)", .dim)
                + Text("  \(outcome.label)", outcome.isSuccess ? .green : .red)
                + Text("  \(attempts)  \(outcome.duration.shortText)\(SafeText.oneLine(reason))"))
    }

    private func finish(_ summary: RepeatSummary, _ duration: Duration) throws {
        let origin = call.client.state(of: command.target)
        if console.isJSON {
            let state = try origin.map { #","origin":"# + (try safeJSON($0)) } ?? ""
            return console.output.write("\n]\(state),\"summary\":\(try safeJSON(summary.document(duration)))}\n")
        }
        let outcomes = summary.outcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let times = summary.percentiles([50, 95, 99, 100]).map(\.shortText)
        console.fields(
            [
                ("calls", "\(summary.calls)"), ("ok", "\(summary.ok)"), ("failed", "\(summary.failed)"),
                ("outcomes", outcomes.map { "\($0.key): \($0.value)" }.joined(separator: ", ")),
                ("attempts", "\(summary.attempts), \(summary.retries) of them retries"),
                ("times", "p50 \(times[0]), p95 \(times[1]), p99 \(times[2]), max \(times[3])"),
                ("duration", "\(duration.shortText), \(summary.rate(in: duration)) calls a second"),
            ] + (origin.map { [("origin", $0.text)] } ?? []))
    }
}
