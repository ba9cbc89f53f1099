import FoundationEssentials
import StrataConcurrency
import StrataDomain

/// What an endpoint works on, for one request.
struct EndpointInput: Sendable {
    let parts: EndpointParts
    let scope: RequestScope
    let store: any Store
    let target: RequestTarget
    /// Host and port that the client requested.
    let host: String
    /// The `Idempotency-Key` of the request; `nil` without one, or where responses are not stored.
    let claim: IdempotencyClaim?
    let log: IdempotencyLog
    /// Whether the caller is the one in `scope`; `nil` once that is known.
    let check: CallerCheck?
    /// Who knows the browsers of pages.
    let authenticator: any Authenticator
    /// What the log says of the request.
    let notes: CallNotes

    /// Reads, and checks the caller with it.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        guard let check else { return try await store.read(body) }
        return try await check.read(store, body)
    }

    /// Commits the effect of `body` together with its encoded response. A claim that has a stored response returns that
    /// response instead, and `body` does not run.
    ///
    /// - Parameters:
    ///   - claim: The claim with the whole payload.
    ///   - time: When the response is stored. Default: when the request began.
    func write(
        claim: IdempotencyClaim?, at time: Date? = nil,
        _ body: @escaping @Sendable (any StoreTransaction) throws -> EncodedResponse
    ) async throws -> (response: EncodedResponse, isReplay: Bool) {
        let now = time ?? scope.now
        if let claim, store.hasConcurrentWriters { return try await concurrentWrite(claim, at: now, body) }
        try await check?.make(in: store)
        return try await store.write { [log] transaction in
            guard let claim else { return (try body(transaction), false) }
            if let stored = try log.response(to: claim, at: now, in: transaction) { return (stored, true) }
            let response = try body(transaction)
            try log.count(claim)
            try log.keep(response, for: claim, at: now, in: transaction)
            return (response, false)
        }
    }

    /// The same where writers run side by side: the look-up is a read of its own. In the transaction it would make requests depend
    /// on each other whose records are neighbours. The record of another replica that appears meanwhile ends the
    /// transaction, and the next look-up finds it.
    private func concurrentWrite(
        _ claim: IdempotencyClaim, at now: Date,
        _ body: @escaping @Sendable (any StoreTransaction) throws -> EncodedResponse
    ) async throws -> (response: EncodedResponse, isReplay: Bool) {
        // A body may run several times for one request.
        let refusal = Lazy { [log] in Result { try log.count(claim) } }
        for _ in 0..<StaleRead.mostRuns {
            let stored = try await read { [log] reader in try log.response(to: claim, at: now, in: reader) }
            if let stored { return (stored, true) }
            do {
                let response = try await store.write { [log] transaction in
                    let response = try body(transaction)
                    try refusal.value.get()
                    try log.keep(response, for: claim, at: now, in: transaction)
                    return response
                }
                // The write has taken effect. What could not be dropped now, the next large response drops.
                try? await log.trim(after: response, for: claim, in: store)
                return (response, false)
            } catch is StaleRead {
            } catch let error as StoreError where error.endsTransaction {
                throw error
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // The same request may have taken effect first: the body finds a taken name, another version, or no row.
                let stored = try await store.read { [log] reader in try log.response(to: claim, at: now, in: reader) }
                guard let stored else { throw error }
                return (stored, true)
            }
        }
        throw ServiceError.idempotencyKeyInFlight
    }
}
