import StrataConcurrency
public import StrataDomain

/// The progress bar of a synchronisation: entries sent of those that waited, and rows received.
public final class SyncBar: Sendable {
    private struct State {
        var bar: ProgressBar?
        var (sent, queued, received) = (0, 0, 0)
    }

    private let console: Console
    private let state = Mutex(State())

    /// A bar on this console.
    public init(_ console: Console) { self.console = console }

    /// Shows how far the synchronisation is.
    public func update(_ progress: SyncProgress) {
        state.withLock { state in
            switch progress {
            case .sending(let sent, let queued):
                if state.queued != queued { state.bar = nil }
                (state.sent, state.queued) = (sent, queued)
            case .receiving(let rows): state.received = rows
            }
            let bar = state.bar ?? console.progress("sync", total: state.queued)
            state.bar = bar
            var parts: [String] = []
            if state.queued > 0 {
                parts.append("\(QuantityText.count(state.sent)) of \(QuantityText.count(state.queued)) sent")
            }
            if state.received > 0 { parts.append("\(QuantityText.count(state.received)) received") }
            bar.update(done: state.sent, detail: parts.joined(separator: ", "))
        }
    }

    /// Removes the line.
    public func finish() {
        state.withLock { state in
            state.bar?.finish()
            state = State()
        }
    }
}

/// Removes the progress line after each run.
public struct SyncWithBar: SyncService {
    private let base: any SyncService
    private let bar: SyncBar

    /// A synchronisation that shows its progress on `bar`.
    public init(_ base: any SyncService, _ bar: SyncBar) {
        self.base = base
        self.bar = bar
    }

    public func sync() async throws(DomainError) -> SyncReport {
        defer { bar.finish() }
        return try await base.sync()
    }

    public func status() async throws(DomainError) -> SyncStatus { try await base.status() }
}
