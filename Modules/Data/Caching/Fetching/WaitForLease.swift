package import StrataNetworking

/// Tries to acquire a lease at short intervals. The caller looks into its cache again before it fetches.
///
/// - Parameters:
///   - limit: Zero tries once.
///   - time: For the waits.
/// - Returns: Whether the caller has the lease; if not, the time is over and the caller goes on without it.
/// - Throws: `CancellationError` while waiting.
package func waitForLease(upTo limit: Duration, on time: MonotonicTime, acquire: () async -> Bool) async throws -> Bool
{
    let start = time.now
    var pause = Duration.milliseconds(1)
    while true {
        try Task.checkCancellation()
        if await acquire() { return true }
        let left = limit - (time.now - start)
        guard left > .zero else { return false }
        try await time.sleep(for: min(pause, left))
        pause = min(pause * 2, .milliseconds(20))
    }
}
