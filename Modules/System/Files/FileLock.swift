/// A lock on a file of its own, among processes and among the tasks of one process. It ends with `unlock`, with this value,
/// or with the process, also when it is killed.
///
/// The lock is `flock(2)`: it belongs to the open file, and every acquisition opens the file anew, so two tasks exclude each
/// other as two processes do. A lock of an open file description (`fcntl(2)`) has the same meaning on Linux, and adds byte
/// ranges, which are not needed; `flock` also exists on macOS and as a command for scripts. POSIX record locks are no
/// choice: closing any other descriptor of the file in this process drops them.
///
/// The file stays after the lock ends. Removing it would let two holders in, one on the old file and one on the new.
package final class FileLock: Sendable {
    package enum Mode: Sendable {
        /// One holder.
        case exclusive
        /// Any number of holders, while none is exclusive.
        case shared
    }

    private let descriptor: FileDescriptor

    private init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    deinit {
        // A subprocess that is just being started shares the open file until its exec: closing alone would not end the lock.
        unlock()
        descriptor.release()
    }

    /// Lets the next holder in. Does nothing the second time.
    package func unlock() { _ = flock(descriptor.rawValue, LOCK_UN) }

    /// Takes the lock without waiting. Blocks only for the file system.
    ///
    /// - Parameter path: Of the lock file, which is created with mode 0600. Its directory must exist. A symbolic link is
    ///   refused with `.tooManySymbolicLinkLevels`.
    /// - Returns: `nil` when another process or task holds it.
    package static func attempt(_ path: String, _ mode: Mode = .exclusive) throws(Errno) -> FileLock? {
        while true {
            let lock = FileLock(try openFile(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK))
            guard try lock.descriptor.tryLock(mode) else { return nil }
            let held = try Stat(lock.descriptor)
            // A umask may take the owner's permissions away, and the next process has to open the file.
            if held.isOwnedByUser, held.permissionBits != 0o600 { try lock.descriptor.setPermissions(0o600) }
            // A file that was replaced between opening and locking protects nothing: the next holder opens the new one.
            if let named = try? Stat(path: path, following: false), held.isSameFile(as: named) { return lock }
        }
    }

    /// Takes the lock as soon as it is free, and holds no thread while it waits.
    ///
    /// - Parameters:
    ///   - limit: The longest wait; zero is one attempt.
    ///   - clock: What waits between attempts.
    /// - Returns: `nil` when it was not free within `limit`.
    /// - Throws: `Errno`; `CancellationError` as soon as the task is cancelled.
    package static func acquire(
        _ path: String, _ mode: Mode = .exclusive, within limit: Duration,
        on clock: any Clock<Duration> = ContinuousClock()
    ) async throws -> FileLock? {
        try await acquire(path, mode, within: limit, measuredBy: clock)
    }

    private static func acquire<C: Clock>(
        _ path: String, _ mode: Mode, within limit: Duration, measuredBy clock: C
    ) async throws -> FileLock? where C.Duration == Duration {
        let start = clock.now
        var pauses = Pauses()
        while true {
            try Task.checkCancellation()
            if let lock = try await runBlocking({ () throws(Errno) in try attempt(path, mode) }) { return lock }
            guard start.duration(to: clock.now) < limit else { return nil }
            try await clock.sleep(for: pauses.next())
        }
    }

    /// Takes the lock as soon as it is free, and blocks the calling thread, which must not be one of the cooperative pool.
    ///
    /// - Returns: `nil` when it was not free within `limit`.
    package static func acquireBlocking(
        _ path: String, _ mode: Mode = .exclusive, within limit: Duration
    ) throws(Errno) -> FileLock? {
        let start = ContinuousClock.now
        var pauses = Pauses()
        while true {
            if let lock = try attempt(path, mode) { return lock }
            guard start.duration(to: .now) < limit else { return nil }
            usleep(UInt32(pauses.next() / .microseconds(1)))
        }
    }

    /// The pauses between attempts: from 1 ms on, each twice the one before, at most 25 ms.
    private struct Pauses {
        private var pause = Duration.milliseconds(1)

        mutating func next() -> Duration {
            defer { pause = min(pause * 2, .milliseconds(25)) }
            return pause
        }
    }
}
