import StrataConcurrency
import StrataDomain

/// The idempotency keys whose request runs now, in this process.
final class InFlightKeys: Sendable {
    private let ids = Mutex<Set<String>>([])

    /// Runs `body` while nobody else runs under `claim`.
    ///
    /// - Throws: 409 with `Retry-After` when somebody does.
    func run<Result: Sendable>(
        _ claim: IdempotencyClaim?, _ body: () async throws -> Result
    ) async throws -> Result {
        guard let claim else { return try await body() }
        guard ids.withLock({ $0.insert(claim.id).inserted }) else {
            throw ServiceError(
                409, code: "idempotency_in_flight", title: "Still running",
                detail: "The first request with this Idempotency-Key has not finished; ask again in a second.",
                headers: ["Retry-After": "1"])
        }
        defer { _ = ids.withLock { $0.remove(claim.id) } }
        return try await body()
    }
}
