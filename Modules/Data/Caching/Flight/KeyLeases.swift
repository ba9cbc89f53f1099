import Dispatch
public import Logging
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// Lets one at a time do the work for a key, among all tasks and processes that share a cache directory.
///
/// The system gives a lease back when its holder dies. Whoever waits holds no thread, can be cancelled, and looks at
/// short intervals, in no order. Where the directory cannot be locked the leases hold within this process only.
///
/// All leases are bytes of one file, so different keys do not wait for each other, and no number of keys makes another
/// file. A task that has a lease may take one of another purpose inside, if all do it in that order; a wait in a circle
/// ends with `upTo`.
public final class KeyLeases: Sendable {
    private struct State {
        /// Had or tried for by a task of this process.
        var taken: Set<Int64> = []
        var file: LockFile?
        var isUnusable = false
    }

    private enum Attempt: Sendable {
        /// Without a file only within this process.
        case got(LockFile?)
        case busy
    }

    private let path: String?
    private let time: MonotonicTime
    private let logger: Logger
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "strata.cache.leases")

    private static let firstPause = Duration.milliseconds(1)
    private static let longestPause = Duration.milliseconds(20)
    /// Whoever removes the file all the time gets no coalescing.
    private static let mostReplacements = 3

    /// - Parameters:
    ///   - directory: Where all who share leases keep their lock file, an absolute path on a local file system; made on
    ///     first use. `nil` for this process only.
    ///   - clock: For waiting.
    public init(
        directory: String?, clock: some Clock<Duration> = ContinuousClock(),
        logger: Logger = Logger(label: "strata.cache")
    ) {
        path = directory.map { "\($0)/leases.lock" }
        time = MonotonicTime(clock)
        self.logger = logger
    }

    /// Runs `body` while nobody else has the lease of `key`, or without it once the wait for it has lasted `limit`.
    ///
    /// - Parameters:
    ///   - limit: Zero does not wait. Give it the time that is left to the call.
    ///   - body: Looks into the store again before it fetches: whoever had the lease may have filled it.
    /// - Throws: `CancellationError` while waiting, and what `body` throws.
    public func withLease<Result>(
        _ key: LeaseKey, upTo limit: Duration, _ body: (LeaseGrant) async throws -> Result
    ) async throws -> Result {
        let start = time.now
        var (grant, pause) = (LeaseGrant.atOnce, Self.firstPause)
        while true {
            try Task.checkCancellation()
            if case .got(let file) = await attempt(key) {
                defer { release(key, file) }
                return try await body(grant)
            }
            let left = limit - (time.now - start)
            guard left > .zero else { return try await body(.busy) }
            grant = .afterWaiting
            try await time.sleep(for: min(pause, left))
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Off the cooperative pool: opening and locking are system calls, which a slow disk may hold up.
    private func attempt(_ key: LeaseKey) async -> Attempt {
        guard state.withLock({ $0.taken.insert(key.place).inserted }) else { return .busy }
        let attempt = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.lock(key)) }
        }
        if case .busy = attempt { state.withLock { _ = $0.taken.remove(key.place) } }
        return attempt
    }

    private func release(_ key: LeaseKey, _ file: LockFile?) {
        // In this order: the next task of this process must not have its lock taken away.
        file?.unlock(at: key.place)
        state.withLock { _ = $0.taken.remove(key.place) }
    }

    private func lock(_ key: LeaseKey) -> Attempt {
        do throws(LockFile.Unusable) {
            for _ in 0..<Self.mostReplacements {
                guard let file = try opened() else { return .got(nil) }
                guard try file.attempt(.exclusive, at: key.place) else { return .busy }
                if file.isInPlace { return .got(file) }
                // Leases in the removed file end with their holders.
                state.withLock { $0.file = nil }
                file.unlock(at: key.place)
            }
            return .got(nil)
        } catch {
            let isNew = state.withLock { state in
                defer { state.isUnusable = true }
                return !state.isUnusable
            }
            if isNew { logger.info("fetches are not shared among processes", metadata: ["reason": "\(error)"]) }
            return .got(nil)
        }
    }

    private func opened() throws(LockFile.Unusable) -> LockFile? {
        guard let path else { return nil }
        if let file = state.withLock({ $0.file }) { return file }
        let file = try LockFile(path)
        state.withLock { $0.file = file }
        return file
    }
}
