import Dispatch
import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataSystem

/// The terminal of the process.
final class SystemScreen: FullScreen {
    private let input: Int32
    private let output: Int32
    private let sink: any TextSink
    private let keys: DescriptorSource
    private let state = Mutex(State())

    private struct State: Sendable {
        /// The settings before raw mode; `nil` while the terminal is as it was.
        var before: termios?
        /// Where events go, once they are asked for.
        var events: AsyncStream<TerminalEvent>.Continuation?
        /// Reads keys. Ended before the terminal is left: keys that are typed from then on are for the shell.
        var reading: Task<Void, Never>?
    }

    /// - Parameters:
    ///   - input: The descriptor that keys come from.
    ///   - output: The descriptor of `sink`.
    init(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO, sink: any TextSink) {
        (self.input, self.output, self.sink) = (input, output, sink)
        keys = DescriptorSource(descriptor: input, name: "the terminal", closes: false)
    }

    var size: ScreenSize { ScreenSize(width: sink.width ?? 80, height: sink.height ?? 24) }

    func enter() throws(CommandFailure) {
        let isTerminal = state.withLock { state in
            var settings = termios()
            if state.before == nil {
                guard tcgetattr(input, &settings) == 0 else { return false }
                state.before = settings
            }
            guard let saved = state.before else { return false }
            TerminalRestoration.arm(input, output, saved)
            var raw = saved
            // Signals of keys stay: control-C ends the program in every state.
            raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
            raw.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP)
            withUnsafeMutableBytes(of: &raw.c_cc) { characters in
                characters[Int(VMIN)] = 1
                characters[Int(VTIME)] = 0
            }
            // Keys that were typed before are kept.
            return tcsetattr(input, TCSADRAIN, &raw) == 0
        }
        guard isTerminal else {
            throw CommandFailure(.usage, "Standard input is no terminal that keys can be read from.")
        }
        // The alternate screen, pastes that are told apart from keys, and no wrapping.
        sink.offer("\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?7l\u{1B}[2J")
        state.withLock { readKeys(&$0) }
    }

    func leave() {
        let saved = state.withLock { state in
            state.reading?.cancel()
            defer { (state.before, state.reading) = (nil, nil) }
            return state.before
        }
        guard var saved else { return }
        sink.offer("\(TerminalRestoration.sequence)")
        tcsetattr(input, TCSADRAIN, &saved)
        TerminalRestoration.disarm()
    }

    func stop() {
        leave()
        // Not SIGTSTP, which this process handles.
        kill(getpid(), SIGSTOP)
    }

    func draw(_ text: String) {
        if !text.isEmpty, state.withLock({ $0.before != nil }) { sink.offer(text) }
    }

    func events() -> AsyncStream<TerminalEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
        let signals: [(Int32, TerminalEvent)] = [
            (SIGWINCH, .resized), (SIGTSTP, .suspended), (SIGCONT, .resumed),
        ]
        for (number, event) in signals {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The handler retains its source for the rest of the process.
            source.setEventHandler { withExtendedLifetime(source) { _ = continuation.yield(event) } }
            source.activate()
        }
        state.withLock { state in
            state.events = continuation
            readKeys(&state)
        }
        return stream
    }

    /// Reads keys while the screen is shown and events are asked for.
    private func readKeys(_ state: inout State) {
        guard state.before != nil, state.reading == nil, let events = state.events else { return }
        state.reading = Task { [keys] in
            do throws(DomainError) {
                while let bytes = try await keys.next() { events.yield(.input(Array(bytes))) }
            } catch .cancelled {
                return
            } catch {}
            events.yield(.ended)
        }
    }
}
