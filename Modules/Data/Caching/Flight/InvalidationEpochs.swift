import Dispatch
public import Logging
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// Counts invalidations among all processes that share a cache directory, so that a fetch which began before one does
/// not put old data back after it.
///
/// Storing holds the counters shared, invalidating alone, so nothing comes between a look at the counters and the
/// storing; the system gives both back when a process dies. At worst a value is not stored although it could be. Where
/// the directory cannot be used, the order holds within one reader only.
public final class InvalidationEpochs: Sendable {
    private struct State {
        /// Held by all in this process who are storing.
        var shared: EpochFile?
        var storing = 0
        var isUnusable = false
    }

    private let path: String
    private let patience: Duration
    private let time: MonotonicTime
    private let logger: Logger
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "strata.cache.epochs")

    private static let pause = Duration.milliseconds(2)

    /// - Parameters:
    ///   - directory: Where all who share the cache keep the counters, an absolute path on a local file system; made on
    ///     first use.
    ///   - patience: How long an invalidation waits for those who are storing, a stopped process for instance; then it
    ///     goes on, and what such a process had begun to store may be old.
    ///   - clock: For waiting.
    public init(
        directory: String, patience: Duration = .seconds(2), clock: some Clock<Duration> = ContinuousClock(),
        logger: Logger = Logger(label: "strata.cache")
    ) {
        path = "\(directory)/epochs"
        self.patience = patience
        time = MonotonicTime(clock)
        self.logger = logger
    }

    /// What has been invalidated of `scopes` so far; to be asked before a fetch begins. `nil` where nobody can tell.
    func mark(of scopes: Set<Invalidation>) async -> EpochFile.Mark? {
        await attempting { path throws(LockFile.Unusable) in try EpochFile(path).mark(of: scopes) }
    }

    /// Stores a value, unless one of `scopes` was invalidated since `mark`.
    ///
    /// - Returns: Whether `store` ran.
    func storing(_ scopes: Set<Invalidation>, since mark: EpochFile.Mark?, _ store: () async -> Void) async -> Bool {
        guard let mark else {
            await store()
            return true
        }
        guard let file = await hold() else { return false }
        defer { drop() }
        let now = await attempting { _ throws(LockFile.Unusable) in
            try file.isInPlace ? file.mark(of: scopes) : nil
        }
        guard now == mark else { return false }
        await store()
        return true
    }

    /// Counts an invalidation of `scope` and does it while nobody is storing.
    func invalidating(_ scope: Invalidation, _ remove: () async -> Void) async {
        let file = await attempting { path throws(LockFile.Unusable) in try EpochFile(path) }
        if let file {
            await isolate(file)
            _ = await attempting { _ throws(LockFile.Unusable) -> Bool? in
                try file.count(scope)
                return true
            }
        }
        await remove()
        file?.unlock()
    }

    // MARK: - Locks

    /// The counters, held shared until `drop`; `nil` when somebody invalidates all the time.
    private func hold() async -> EpochFile? {
        let end = time.now + patience
        while true {
            if let file = joined() { return file }
            let file = await attempting { path throws(LockFile.Unusable) in
                let file = try EpochFile(path)
                return try file.attempt(.shared) ? file : nil
            }
            if let file {
                return state.withLock { state in
                    state.storing += 1
                    // Somebody else may have come first; then ours is not needed.
                    if let held = state.shared {
                        file.unlock()
                        return held
                    }
                    state.shared = file
                    return file
                }
            }
            guard time.now < end, (try? await time.sleep(for: Self.pause)) != nil else { return nil }
        }
    }

    private func joined() -> EpochFile? {
        state.withLock { state in
            guard let file = state.shared else { return nil }
            state.storing += 1
            return file
        }
    }

    private func drop() {
        state.withLock { state in
            state.storing -= 1
            guard state.storing == 0 else { return }
            state.shared?.unlock()
            state.shared = nil
        }
    }

    private func isolate(_ file: EpochFile) async {
        let end = time.now + patience
        while true {
            let isAlone = await attempting { _ throws(LockFile.Unusable) -> Bool? in try file.attempt(.exclusive) }
            guard isAlone == false else { return }
            guard time.now < end else {
                logger.warning("a process has been storing into the cache for long; it is invalidated all the same")
                return
            }
            // In a task of its own, which is not cancelled: an invalidation that is cut short leaves old data.
            _ = await Task { [time] in try? await time.sleep(for: Self.pause) }.value
        }
    }

    /// Off the cooperative pool: these are system calls, which a slow disk may hold up.
    private func attempting<Result: Sendable>(
        _ body: @escaping @Sendable (_ path: String) throws(LockFile.Unusable) -> Result?
    ) async -> Result? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.checked(body)) }
        }
    }

    private func checked<Result>(_ body: (_ path: String) throws(LockFile.Unusable) -> Result?) -> Result? {
        do throws(LockFile.Unusable) { return try body(path) } catch {
            let isNew = state.withLock { state in
                defer { state.isUnusable = true }
                return !state.isUnusable
            }
            if isNew { logger.info("invalidations are not shared among processes", metadata: ["reason": "\(error)"]) }
            return nil
        }
    }
}
