public import StrataDomain

/// One HTTP request on its way through the pipeline.
///
/// A copy costs one reference, since every link of the chain holds one; the first change of a copy makes it a request of
/// its own.
public struct ClientRequest: Sendable {
    private struct Parts: Sendable {
        var method: HTTPMethod
        var url: HTTPURL
        var headers: HeaderFields
        var body: UploadBody?
        var headLimit: Deadline?
        var bodyLimit: Deadline?
    }

    // Sendable proof: `parts` is changed only through the one reference there is, so no change overlaps with anything.
    private final class Storage: @unchecked Sendable {
        @exclusivity(unchecked) var parts: Parts
        let context: CallContext

        init(_ parts: Parts, _ context: CallContext) { (self.parts, self.context) = (parts, context) }
    }

    private var storage: Storage

    public init(
        _ method: HTTPMethod = .get, _ url: HTTPURL, headers: HeaderFields = [:], body: UploadBody? = nil,
        context: CallContext
    ) {
        storage = Storage(Parts(method: method, url: url, headers: headers, body: body), context)
    }

    public var method: HTTPMethod {
        get { storage.parts.method }
        set { own().parts.method = newValue }
    }

    public var url: HTTPURL {
        get { storage.parts.url }
        _modify { yield &own().parts.url }
    }

    public var headers: HeaderFields {
        get { storage.parts.headers }
        _modify { yield &own().parts.headers }
    }

    public var body: UploadBody? {
        get { storage.parts.body }
        set { own().parts.body = newValue }
    }

    /// When the head must have arrived, for a transport that keeps limits itself; set for each attempt.
    public internal(set) var headLimit: Deadline? {
        get { storage.parts.headLimit }
        set { own().parts.headLimit = newValue }
    }

    /// When the whole body of the answer must have arrived, for the same; `nil` lets it take its time.
    public internal(set) var bodyLimit: Deadline? {
        get { storage.parts.bodyLimit }
        set { own().parts.bodyLimit = newValue }
    }

    /// What belongs to the call, not to one attempt.
    public var context: CallContext { storage.context }

    private mutating func own() -> Storage {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.parts, storage.context) }
        return storage
    }

    /// Whether the same bytes can be sent once more.
    public var isReplayable: Bool { body?.isReplayable ?? true }

    /// Whether sending the body waits for nothing but the network.
    package var hasBodyAtHand: Bool { body.map { $0.bytes != nil } ?? true }

    /// Whether the origin that is asked takes this request and a repetition of it for one.
    var isKeyed: Bool { context.idempotencyKey != nil && [nil, url.origin].contains(context.keyOrigin) }

    /// Method and path, without query: `GET /v1/runbooks`.
    public var summary: String { "\(method.rawValue) \(url.path)" }
}
