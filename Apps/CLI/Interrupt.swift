import Dispatch
import StrataConcurrency
import StrataSystem
import StrataTerminal

/// The first SIGINT or SIGTERM cancels the command, which then ends in order; a second one ends the process at once.
final class Interrupt: Sendable {
    private struct State {
        var signals = 0
        var work: Task<ExitStatus, Never>?
    }

    private let state = Mutex(State())

    private static let numbers = [SIGINT, SIGTERM]

    /// From now until somebody listens, a signal ends the process at once: nothing is begun that had to end in order, but
    /// the caller is told by the status, as later.
    static func endsProcess() {
        for number in numbers { signal(number) { _ in _exit(ExitStatus.interrupted.rawValue) } }
    }

    /// Listens from now on, until the process ends.
    init() {
        for number in Self.numbers {
            // What the process does with the signal by itself is changed by the source, the moment it can hear: ignoring it
            // here would lose one that comes before.
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
