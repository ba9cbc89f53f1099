import StrataConcurrency
public import StrataDomain
import StrataSystem

/// An event of a watch.
public enum SyncWatchEvent: Sendable {
    /// How far the run is.
    case progress(SyncProgress)
    /// A run has ended, with what it did.
    case synchronised(SyncReport)
    /// A run has failed.
    case failed(DomainError)
    /// Nothing to do for this long, unless an event comes first.
    ///
    /// - Parameter phase: `resting`, `retrying`, `offline`, or `paused` while no user is logged in.
    case waiting(phase: String, Duration)
}

/// Synchronises until its task is cancelled, and reports events.
///
/// - Throws: Errors that a retry cannot solve.
public typealias SyncWatching = @Sendable (_ tell: @escaping @Sendable (SyncWatchEvent) -> Void) async throws -> Void

/// Prints the events of a watch: a line for a round that changed something or failed; as JSON, a line per event.
final class SyncWatchPrinter: Sendable {
    private let console: Console
    private let bar: SyncBar
    private let failure = Mutex<DomainError?>(nil)
    private let isFirst = Mutex(true)

    init(console: Console) {
        self.console = console
        bar = SyncBar(console)
    }

    func begin() {
        if !console.isJSON { console.note("Watching for what is written here or on the server; Ctrl-C ends it.") }
    }

    func end() { bar.finish() }

    func tell(_ event: SyncWatchEvent) {
        if console.isJSON {
            try? console.json(event.document)
            return
        }
        switch event {
        case .progress(let progress): bar.update(progress)
        case .synchronised(let report):
            bar.finish()
            let isNews = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst || report != SyncReport()
            }
            // Encoding an event cannot fail.
            if isNews { try? console.report(report, at: console.clock.now) }
        case .failed(let error):
            bar.finish()
            failure.withLock { $0 = error }
        case .waiting(let phase, let wait):
            guard let error = failure.withLock({ $0.take() }) else { return }
            let reason = error.description.asSentence
            console.warn("\(reason) \(Self.nextStep(phase, wait)) What is written here stays queued.")
        }
    }

    private static func nextStep(_ phase: String, _ wait: Duration) -> String {
        let seconds = max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
        return phase == "paused"
            ? "This goes on after '\(ProgramName.current) login', or looks again in \(seconds) s."
            : "Trying again in \(seconds) s."
    }
}

extension SyncWatchEvent {
    /// One line of JSON; its members depend on `event`.
    fileprivate var document: JSONDocument {
        switch self {
        case .progress(.receiving(let rows)): ["event": "receiving", "rows": rows]
        case .progress(.sending(let sent, let queued)): ["event": "sending", "sent": sent, "queued": queued]
        case .synchronised(let report):
            [
                "event": "synchronised", "sent": report.pushed, "received": report.pulled, "merged": report.merged,
                "conflicts": report.conflicts, "rejected": report.rejected,
            ]
        case .failed(let error): ["event": "failed", "code": error.code, "message": error.description]
        case .waiting(let phase, let wait):
            ["event": "waiting", "phase": phase, "seconds": (wait / .milliseconds(1)).rounded() / 1000]
        }
    }
}
