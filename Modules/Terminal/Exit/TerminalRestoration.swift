import StrataConcurrency
import StrataSystem

/// Restores the terminal where a process ends in the middle of a full screen: by a signal, an `exit`, or a crash.
///
/// Only kill -9 leaves the terminal as it is; then `reset` mends it.
enum TerminalRestoration {
    /// Leaves paste mode and the alternate screen, and shows the cursor and plain text (xterm control sequences).
    static let sequence: StaticString = "\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    /// From now on the process leaves the terminal as `settings` say.
    ///
    /// - Parameter output: The descriptor of the screen.
    static func arm(_ input: Int32, _ output: Int32, _ settings: termios) {
        if saved == nil {
            let place = UnsafeMutablePointer<termios>.allocate(capacity: 1)
            place.initialize(to: settings)
            saved = place
            atexit(restoreAtExit)
        } else {
            saved?.pointee = settings
        }
        (savedInput, savedOutput, isArmed) = (input, output, true)
        for number in fatal { signal(number, endBySignal) }
    }

    /// The terminal is as it was.
    static func disarm() {
        isArmed = false
        for number in fatal { signal(number, SIG_DFL) }
    }

    /// Calls nothing but what a signal handler may call (signal-safety(7)).
    static func restore() {
        guard isArmed, let saved else { return }
        isArmed = false
        _ = write(savedOutput, sequence.utf8Start, sequence.utf8CodeUnitCount)
        _ = tcsetattr(savedInput, TCSANOW, saved)
    }

    private static var fatal: [Int32] { [SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE] }
}

private func restoreAtExit() { TerminalRestoration.restore() }

/// Raised again, the signal has its own effect once the handler is left.
private func endBySignal(_ number: Int32) {
    TerminalRestoration.restore()
    signal(number, SIG_DFL)
    raise(number)
}

// Proof: written by the one task that owns the screen; a handler reads single words.
private nonisolated(unsafe) var saved: UnsafeMutablePointer<termios>?
private nonisolated(unsafe) var savedInput: Int32 = 0
private nonisolated(unsafe) var savedOutput: Int32 = 1
private nonisolated(unsafe) var isArmed = false
