import Dispatch
import StrataDomain

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An exclusive lock on a file of its own, held until this value goes away.
///
/// `flock` belongs to the open file and every acquisition opens it anew, so two tasks exclude each other like two
/// processes do, and the system gives the lock back when its holder dies. The file is never removed.
final class FileLease: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }

    /// The lock, or `nil` when somebody else holds it. Blocks for a few system calls.
    static func attempt(_ path: String) throws(SystemFailure) -> FileLease? {
        let descriptor = try SystemFailure.checking { open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        do {
            try SystemFailure.checking { flock(descriptor, LOCK_EX | LOCK_NB) }
            return FileLease(descriptor: descriptor)
        } catch {
            close(descriptor)
            if error.code == EWOULDBLOCK { return nil }
            throw error
        }
    }

    /// The lock as soon as it is free, holding no thread while waiting.
    ///
    /// - Returns: `nil` when it was not free within `limit`.
    static func acquire(
        _ path: String, within limit: Duration, on clock: any Clock<Duration>
    ) async throws -> FileLease? {
        var waited = Duration.zero
        while true {
            try Task.checkCancellation()
            if let lease = try await OwnThread.run({ () throws(SystemFailure) in try attempt(path) }) { return lease }
            guard waited < limit else { return nil }
            try await clock.sleep(for: pause)
            waited += pause
        }
    }

    /// The lock, waiting for it on the calling thread, which must not be one of the cooperative pool.
    ///
    /// - Returns: `nil` when it was not free within `limit`.
    static func acquireBlocking(_ path: String, within limit: Duration) throws(SystemFailure) -> FileLease? {
        let end = ContinuousClock.now + limit
        while true {
            if let lease = try attempt(path) { return lease }
            guard ContinuousClock.now < end else { return nil }
            usleep(5_000)
        }
    }

    private static let pause = Duration.milliseconds(50)
}

/// Runs work that blocks away from the cooperative pool, which has only one thread per core.
enum OwnThread {
    private static let queue = DispatchQueue(label: "strata.offline.blocking", attributes: .concurrent)

    static func run<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Swift.Result(catching: work)) }
        }
        return try result.get()
    }
}
