public import FoundationEssentials
public import StrataDomain

/// The work of an upload, in the order of its calls: a check before the first byte, the bytes, then one transaction.
///
/// The body is `multipart/form-data`. An `Idempotency-Key` works as for a `write`: the response is stored with the effect
/// of `commit`. The payload is compared by `fingerprint`, because each attempt of a client has another boundary.
public protocol UploadHandler: Sendable {
    /// The endpoint of the upload.
    associatedtype Call: RoutedEndpoint where Call.Response: Encodable
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
