import Dispatch
import Glibc
import StrataTerminal
import Synchronization

/// The first SIGINT or SIGTERM cancels the command, which then ends in order; a second one ends the process at once.
final class Interrupt: Sendable {
    private struct State {
        var signals = 0
        var work: Task<ExitStatus, Never>?
    }

    private let state = Mutex(State())

    /// Listens from now on, until the process ends.
    init() {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The handler holds its source, which would else stop to listen.
            source.setEventHandler { withExtendedLifetime(source) { self.heard() } }
            source.activate()
        }
    }

    /// - Parameter work: Cancelled at once when a signal came before.
    func cancels(_ work: Task<ExitStatus, Never>) {
        state.withLock { state in
            state.work = work
            if state.signals > 0 { work.cancel() }
        }
    }

    private func heard() {
        state.withLock { state in
            state.signals += 1
            if state.signals > 1 { _exit(ExitStatus.interrupted.rawValue) }
            state.work?.cancel()
        }
    }
}
