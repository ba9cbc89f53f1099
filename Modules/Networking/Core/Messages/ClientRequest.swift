public import StrataDomain

/// One HTTP request on its way through the pipeline.
public struct ClientRequest: Sendable {
    /// What the server is asked to do.
    public var method: HTTPMethod
    /// Where it is sent.
    public var url: HTTPURL
    /// The fields that are sent, but for those that the transport adds.
    public var headers: HeaderFields
    /// The body; `nil` for a request without one.
    public var body: UploadBody?
    /// When the pipeline ends the wait for the body of the response; set for each attempt, `nil` where nothing does.
    package internal(set) var bodyLimit: Deadline?
    /// The call that this request belongs to.
    public let context: CallContext

    /// A request; without a body unless one is given.
    public init(
        _ method: HTTPMethod = .get, _ url: HTTPURL, headers: HeaderFields = [:], body: UploadBody? = nil,
        context: CallContext
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.context = context
    }

    /// Whether the same bytes can be sent once more.
    public var isReplayable: Bool { body?.isReplayable ?? true }

    /// Whether the origin takes this request and a repetition of it for one.
    var isKeyed: Bool { context.idempotencyKey != nil && [nil, url.origin].contains(context.keyOrigin) }

    /// Method and path, without query: `GET /v1/notes`.
    public var summary: String { "\(method.rawValue) \(url.path)" }
}
