import StrataSystem

/// Ends the wait of a thread for the database when its task is cancelled.
struct Interrupt: Sendable {
    /// Is never answered, so it stays readable.
    private let bell: Doorbell

    init() throws(Errno) { bell = try Doorbell() }

    /// Readable after `raise`.
    var descriptor: CInt { bell.descriptor }
    var isRaised: Bool { bell.isRinging }

    func raise() { bell.ring() }

    /// Returns when the interrupt is raised, or after `limit`.
    func wait(atMost limit: Duration) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, limit.wholeMilliseconds)
    }
}
