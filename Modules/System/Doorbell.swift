import struct Synchronization.Atomic

/// Wakes a thread that waits in `poll`; rings that nobody has answered yet count once.
package final class Doorbell: Sendable {
    /// Readable from `ring` to `answer`.
    package let descriptor: CInt
    private let end: CInt
    private let rings = Atomic(false)

    /// - Throws: When the process has too many open files.
    package init() throws(Errno) {
        var ends: [CInt] = [0, 0]
        try systemCall { pipe(&ends) }
        (descriptor, end) = (ends[0], ends[1])
        for end in ends { try FileDescriptor(rawValue: end).setCloseOnExec() }
    }

    deinit {
        close(descriptor)
        close(end)
    }

    /// Whether it rang and was not answered.
    package var isRinging: Bool { rings.load(ordering: .acquiring) }

    /// May be called by any thread, also while the descriptor is polled.
    package func ring() {
        guard !rings.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 0
        _ = write(end, &byte, 1)
    }

    /// Call it before the work, so that a ring in the meantime is not lost. Only one thread may.
    package func answer() {
        guard isRinging else { return }
        // The byte is there, or comes at once: it is written once for each change to `true`.
        var byte: UInt8 = 0
        _ = read(descriptor, &byte, 1)
        rings.store(false, ordering: .releasing)
    }
}
