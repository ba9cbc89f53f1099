import StrataDomain
import StrataSystem

/// The lock of a token store: a file beside the tokens, held while one task of one process changes them.
struct TokenLock: Sendable {
    let path: String

    /// Runs `body` while no other task and no other process is inside.
    ///
    /// - Parameter limit: How long to wait for the present holder, without holding a thread.
    /// - Throws: `TokenStoreError` when the wait ran out, `CancellationError`, and the errors of `body`.
    func hold<Result: Sendable>(
        waiting limit: Duration, on clock: any Clock<Duration>, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let lock = try await acquire(waiting: limit, on: clock) else {
            throw TokenStoreError(
                "Another process has held the lock '\(path)' for \(limit); "
                    + "wait until it is done or end it, then try again.")
        }
        defer { lock.unlock() }
        return try await body()
    }

    private func acquire(waiting limit: Duration, on clock: any Clock<Duration>) async throws -> FileLock? {
        do {
            let directory = PrivateDirectory(path.directoryPath)
            try await runBlocking { try directory.prepare() }
            return try await FileLock.acquire(path, within: limit, on: clock)
        } catch let error as PrivateDirectoryError {
            throw TokenStoreError("\(error)")
        } catch let error as Errno {
            throw TokenStoreError("Cannot lock '\(path)': \(error). The directory needs a local, writable file system.")
        }
    }
}
