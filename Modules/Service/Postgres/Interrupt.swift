import StrataSystem

import struct Synchronization.Atomic

/// Ends the wait of a thread for the database when its task is cancelled.
final class Interrupt: Sendable {
    /// Readable after `raise`.
    let descriptor: CInt
    private let end: CInt
    private let isSet = Atomic(false)

    init() throws(Errno) {
        var ends: [CInt] = [0, 0]
        try systemCall { pipe(&ends) }
        (descriptor, end) = (ends[0], ends[1])
        for end in ends { try FileDescriptor(rawValue: end).setCloseOnExec() }
    }

    deinit {
        close(descriptor)
        close(end)
    }

    var isRaised: Bool { isSet.load(ordering: .acquiring) }

    /// Returns when the interrupt is raised, or after `limit`.
    func wait(atMost limit: Duration) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, limit.wholeMilliseconds)
    }

    func raise() {
        isSet.store(true, ordering: .releasing)
        var byte: UInt8 = 0
        _ = write(end, &byte, 1)
    }
}
