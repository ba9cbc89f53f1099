/// What happens at a terminal.
enum TerminalEvent: Sendable, Hashable {
    case input([UInt8])
    case resized
    /// The process was asked to stop, by control-Z or a signal.
    case suspended
    /// The process runs again.
    case resumed
    /// The terminal is gone.
    case ended
}

/// A terminal whose whole screen a program has.
protocol FullScreen: Sendable {
    var size: ScreenSize { get }
    /// Raw mode and the alternate screen; again after a stop.
    ///
    /// - Throws: `CommandFailure` where it is no terminal.
    func enter() throws(CommandFailure)
    /// The terminal as it was. Does nothing on a terminal that was left.
    func leave()
    /// Stops the process, until another continues it.
    func stop()
    /// Does nothing on a terminal that was left.
    func draw(_ text: String)
    func events() -> AsyncStream<TerminalEvent>
}
