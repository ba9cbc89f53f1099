import Dispatch
import StrataConcurrency

/// Where transactions of a test wait for each other.
///
/// It blocks a thread, because the bodies of transactions are synchronous.
public final class Meeting: Sendable {
    private struct Round {
        var missing: Int
        /// Raised once and for all: each who passes raises it for the next.
        let isOpen = DispatchSemaphore(value: 0)
    }

    private struct State {
        var round: Round?
        var met = 0
    }

    private let state = Mutex(State())
    private let milliseconds: Int

    /// - Parameter milliseconds: How long the first waits, for an engine that does not let the second begin. Default 200.
    public init(milliseconds: Int = 200) { self.milliseconds = milliseconds }

    /// The next transactions wait until so many have come. Later ones do not wait.
    ///
    /// - Parameter parties: 1 or 0 for an engine that runs one write at a time.
    public func convene(_ parties: Int) {
        state.withLock { $0.round = parties > 1 ? Round(missing: parties) : nil }
    }

    /// Rounds in which all parties came in time.
    public var met: Int { state.withLock { $0.met } }

    func attend() {
        let (isOpen, isWaiting) = state.withLock { state -> (DispatchSemaphore?, Bool) in
            guard let isOpen = state.round?.isOpen else { return (nil, false) }
            state.round?.missing -= 1
            guard let missing = state.round?.missing, missing <= 0 else { return (isOpen, true) }
            if missing == 0 { state.met += 1 }
            return (isOpen, false)
        }
        if isWaiting, isOpen?.wait(timeout: .now() + .milliseconds(milliseconds)) == .timedOut {
            // Nobody else waits in this round.
            state.withLock { if $0.round?.isOpen === isOpen { $0.round = nil } }
        }
        isOpen?.signal()
    }
}
