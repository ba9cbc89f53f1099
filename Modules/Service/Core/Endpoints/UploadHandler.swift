public import FoundationEssentials
public import StrataDomain

/// The work behind an upload, in the order of its calls: a look before the first byte, the bytes, then one transaction.
///
/// The body is `multipart/form-data`. An `Idempotency-Key` counts as on a `write`: the answer is stored with the effect
/// of `commit`, and the payload is what `fingerprint` says, since each attempt of a client has another boundary.
public protocol UploadHandler: Sendable {
    associatedtype Call: RoutedEndpoint
    /// What was received and is not visible yet.
    associatedtype Received: Sendable

    /// Largest content in bytes, of all parts together.
    var contentLimit: Int { get }

    /// Refuses what would be refused after gigabytes anyway.
    func admit(_ call: Call, _ scope: RequestScope, in store: any StoreReader) throws

    /// Takes the bytes; cancelled when they come too slowly or the caller gives up.
    func receive(_ call: Call, _ form: UploadForm, _ scope: RequestScope) async throws -> Received

    /// What makes two uploads the same to an `Idempotency-Key`.
    func fingerprint(of received: Received) -> Data

    /// Makes it visible.
    func commit(
        _ call: Call, _ received: Received, _ scope: RequestScope, in transaction: any StoreTransaction
    ) throws -> Call.Response

    /// Removes what was received and was refused, or was there already.
    func discard(_ received: Received) async
}

/// An `UploadHandler`, its types erased.
struct UploadWork: Sendable {
    let contentLimit: Int
    let admit: @Sendable (EndpointParts, RequestScope, any Store) async throws -> Void
    let run: @Sendable (EndpointParts, RequestScope, Execution, UploadIntake) async throws -> Answer

    init<H: UploadHandler>(_ handler: H, _ encoding: AnswerEncoding) {
        contentLimit = handler.contentLimit
        admit = { parts, scope, store in
            let call = try H.Call(parts)
            try await store.read { reader in try handler.admit(call, scope, in: reader) }
        }
        run = { parts, scope, execution, intake in
            let call = try H.Call(parts)
            let received = try await intake.take { form in try await handler.receive(call, form, scope) }
            let claim = execution.claim?.with(payload: handler.fingerprint(of: received))
            do {
                let (answer, isReplay) = try await execution.store.write { transaction in
                    if let claim, let kept = try IdempotencyLog.take(claim, at: scope.now, in: transaction) {
                        return (kept, true)
                    }
                    let response = try handler.commit(call, received, scope, in: transaction)
                    let answer = try encoding.answer(response, to: execution.target)
                    if let claim { try IdempotencyLog.keep(answer, for: claim, in: transaction) }
                    return (answer, false)
                }
                if isReplay { await handler.discard(received) }
                return answer
            } catch {
                // Any other failure may have come behind the commit: then the bytes stay, and maintenance decides.
                if error is ServiceError { await handler.discard(received) }
                throw error
            }
        }
    }
}
