public import FoundationEssentials
public import StrataDomain

/// The work of an upload, in the order of its calls: a check before the first byte, the bytes, then one transaction.
///
/// The body is `multipart/form-data`. An `Idempotency-Key` works as for a `write`: the response is stored with the effect
/// of `commit`. The payload is compared by `fingerprint`, because each attempt of a client has another boundary.
public protocol UploadHandler: Sendable {
    associatedtype Call: RoutedEndpoint
    /// Content that was received and is not visible yet.
    associatedtype Received: Sendable

    /// Largest content in bytes, of all parts together.
    var contentLimit: Int { get }
    /// The name of the form's part with the file, for the OpenAPI document. Default: `file`.
    var partName: String { get }

    /// Refuses a request that would be refused after its body, before the body is read.
    func admit(_ call: Call, _ scope: RequestScope, in store: any StoreReader) throws

    /// Receives the bytes. Cancelled when they arrive too slowly or the caller disconnects.
    func receive(_ call: Call, _ form: UploadForm, _ scope: RequestScope) async throws -> Received

    /// Two uploads with one `Idempotency-Key` are the same when their fingerprints are equal.
    func fingerprint(of received: Received) -> Data

    /// Makes the content visible.
    func commit(
        _ call: Call, _ received: Received, _ scope: RequestScope, in transaction: any StoreTransaction
    ) throws -> Call.Response

    /// Removes content that was refused, or that an earlier attempt stored already.
    func discard(_ received: Received) async
}

extension UploadHandler {
    public var partName: String { "file" }
}

/// An `UploadHandler`, its types erased.
struct UploadEndpoint: Sendable {
    let contentLimit: Int
    let partName: String
    let admit: @Sendable (EndpointInput) async throws -> Void
    let run: @Sendable (EndpointInput, UploadReceiver) async throws -> EncodedResponse

    init<H: UploadHandler>(_ handler: H, _ encoder: ResponseEncoder<H.Call>) {
        (contentLimit, partName) = (handler.contentLimit, handler.partName)
        admit = { input in
            let call = try H.Call(input.parts)
            try await input.store.read { reader in try handler.admit(call, input.scope, in: reader) }
        }
        run = { input, receiver in
            let call = try H.Call(input.parts)
            let received = try await receiver.receive { form in try await handler.receive(call, form, input.scope) }
            do {
                let claim = input.claim?.with(payload: handler.fingerprint(of: received))
                let (response, isReplay) = try await input.write(claim: claim) { transaction in
                    let response = try handler.commit(call, received, input.scope, in: transaction)
                    return try encoder.encode(response, to: input.target)
                }
                if isReplay { await handler.discard(received) }
                return response
            } catch {
                // Any other failure may follow the commit. The content then stays until maintenance has checked it.
                if error is ServiceError { await handler.discard(received) }
                throw error
            }
        }
    }
}
