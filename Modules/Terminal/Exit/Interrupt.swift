import Dispatch
import StrataConcurrency
import StrataSystem

/// The first SIGINT or SIGTERM cancels the command; a second one ends the process at once.
public final class Interrupt: Sendable {
    private struct State {
        var signals = 0
        var work: Task<ExitStatus, Never>?
    }

    private let state = Mutex(State())

    private static let numbers = [SIGINT, SIGTERM]

    /// Until an `Interrupt` exists, a signal ends the process at once, with the same status as later.
    public static func endsProcess() {
        for number in numbers { signal(number) { _ in _exit(ExitStatus.interrupted.rawValue) } }
    }

    /// Listens from now on, until the process ends.
    public init() {
        for number in Self.numbers {
            // The source replaces the handler when it is active. Ignoring the signal here would lose one that comes before.
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The handler retains its source, which stops when it is released.
            source.setEventHandler { withExtendedLifetime(source) { self.receive() } }
            source.activate()
        }
    }

    /// - Parameter work: Cancelled at once when a signal came before.
    public func cancels(_ work: Task<ExitStatus, Never>) {
        state.withLock { state in
            state.work = work
            if state.signals > 0 { work.cancel() }
        }
    }

    private func receive() {
        state.withLock { state in
            state.signals += 1
            if state.signals > 1 {
                TerminalRestoration.restore()
                _exit(ExitStatus.interrupted.rawValue)
            }
            state.work?.cancel()
        }
    }
}
