import StrataDomain

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An exclusive lock on a file of its own, between processes and between tasks of one process.
///
/// `flock` belongs to the open file and every acquisition opens it anew, so two tasks exclude each other like two
/// processes do. The system gives the lock back when its holder dies. The file is never removed: that would let two
/// holders in, one on the old file and one on the new.
struct FileLock: Sendable {
    let path: String
    let queue: BlockingQueue

    private static let firstPause = Duration.milliseconds(1)
    private static let longestPause = Duration.milliseconds(25)

    /// Runs `body` while nobody else is inside.
    ///
    /// - Parameter limit: How long to wait for the present holder, without holding a thread.
    /// - Throws: `TokenStoreError` when the wait ran out, `CancellationError`, and what `body` throws.
    func hold<Result: Sendable>(
        waiting limit: Duration, on clock: any Clock<Duration>, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let descriptor = try await acquire(waiting: limit, on: clock)
        defer { close(descriptor) }
        return try await body()
    }

    private func acquire(waiting limit: Duration, on clock: any Clock<Duration>) async throws -> Int32 {
        var waited = Duration.zero
        var pause = Self.firstPause
        while true {
            try Task.checkCancellation()
            if let descriptor = try await queue.run({ () throws(TokenStoreError) in try attempt() }) {
                return descriptor
            }
            guard waited < limit else {
                throw TokenStoreError(
                    "Another process has held the lock '\(path)' for \(limit); "
                        + "wait until it is done or end it, then try again.")
            }
            try await clock.sleep(for: pause)
            waited += pause
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// The open, locked file; `nil` when somebody else holds it.
    private func attempt() throws(TokenStoreError) -> Int32? {
        try PrivateDirectory(path: path.directoryPart).prepare()
        var opened: Int32?
        do {
            let descriptor = try checked { open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600) }
            opened = descriptor
            try checked { flock(descriptor, LOCK_EX | LOCK_NB) }
            // The file may have been replaced between opening and locking; then the lock protects nothing.
            let held = try FileStatus(descriptor: descriptor)
            // Whatever the umask takes away: another process has to be able to open it.
            if held.isOurs, held.mode != 0o600 { try checked { fchmod(descriptor, 0o600) } }
            if held.isSameFile(as: try FileStatus(path: path, following: false)) { return descriptor }
            close(descriptor)
            return nil
        } catch {
            if let opened { close(opened) }
            if error.code == EWOULDBLOCK || error.code == ENOENT { return nil }
            throw TokenStoreError(
                "Cannot lock '\(path)': \(error.reason). The directory needs a local, writable file system.")
        }
    }
}
