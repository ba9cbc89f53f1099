import StrataNetworking

/// How a caller obtained the lease for a fetch. It looks into its cache again before it fetches.
enum LeaseGrant: Sendable, Hashable {
    case atOnce
    /// Another caller had it, and ended or died.
    case afterWaiting
    /// Another caller still has it, and the time to wait is over: this caller goes on without the lease.
    case busy
}

/// Tries `acquire` at short intervals until it succeeds.
///
/// - Parameters:
///   - limit: Zero tries once.
///   - time: For the waits.
/// - Throws: `CancellationError` while waiting.
func leaseGrant(
    upTo limit: Duration, on time: MonotonicTime, acquire: () async -> Bool
) async throws -> LeaseGrant {
    let start = time.now
    var (grant, pause) = (LeaseGrant.atOnce, Duration.milliseconds(1))
    while true {
        try Task.checkCancellation()
        if await acquire() { return grant }
        let left = limit - (time.now - start)
        guard left > .zero else { return .busy }
        grant = .afterWaiting
        try await time.sleep(for: min(pause, left))
        pause = min(pause * 2, .milliseconds(20))
    }
}
