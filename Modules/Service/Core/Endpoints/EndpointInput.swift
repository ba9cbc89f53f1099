import StrataDomain

/// What an endpoint works on, for one request.
struct EndpointInput: Sendable {
    let parts: EndpointParts
    let scope: RequestScope
    let store: any Store
    let target: RequestTarget
    /// The `Idempotency-Key` of the request; `nil` without one, or where responses are not stored.
    let claim: IdempotencyClaim?
    let log: IdempotencyLog

    /// Commits the effect of `body` together with its encoded response. A claim that has a stored response returns that
    /// response instead, and `body` does not run.
    ///
    /// - Parameter claim: The claim with the whole payload.
    func write(
        claim: IdempotencyClaim?, _ body: @escaping @Sendable (any StoreTransaction) throws -> EncodedResponse
    ) async throws -> (response: EncodedResponse, isReplay: Bool) {
        let now = scope.now
        return try await store.write { [log] transaction in
            guard let claim else { return (try body(transaction), false) }
            if let stored = try log.response(to: claim, at: now, in: transaction) { return (stored, true) }
            let response = try body(transaction)
            try log.keep(response, for: claim, at: now, in: transaction)
            return (response, false)
        }
    }
}
