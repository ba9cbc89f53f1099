public import FoundationEssentials

/// A request to any URL.
public struct RawRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// Absolute, or a path below the base URL of the client.
    public var url: String
    /// The fields of the request.
    public var headers: HeaderFields
    /// The body; `nil` for none.
    public var body: UploadBody?

    /// A request for `url`, a GET unless another method is given.
    public init(_ method: HTTPMethod = .get, _ url: String, headers: HeaderFields = [:], body: UploadBody? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// Head and bytes of a response with any status.
public struct RawResponse: Sendable, Hashable {
    /// Status and fields.
    public var head: ResponseHead
    /// The whole body.
    public var bytes: Data

    /// A response with its whole body.
    public init(head: ResponseHead, bytes: Data) {
        self.head = head
        self.bytes = bytes
    }
}

/// The client's state of one origin.
public struct OriginState: Codable, Sendable, Hashable {
    /// Whether attempts are made.
    public enum Circuit: String, Codable, Sendable {
        /// Attempts are made; attempts fail at once.
        case closed, open
        /// One attempt is made as a probe.
        case halfOpen = "half-open"
    }

    /// `https://host:port`, without a default port.
    public var origin: String
    /// The circuit of the origin.
    public var circuit: Circuit
    /// When an open circuit allows a probe.
    public var openUntil: Date?
    /// Retries that the budget still allows.
    public var retryBudget: Double

    /// The state of an origin; `openUntil` is there while its circuit is open.
    public init(origin: String, circuit: Circuit, openUntil: Date? = nil, retryBudget: Double) {
        self.origin = origin
        self.circuit = circuit
        self.openUntil = openUntil
        self.retryBudget = retryBudget
    }
}

/// Sends requests without an endpoint through the same pipeline. A response with any status is a result.
public protocol RawClient: Sendable {
    /// The whole response.
    ///
    /// - Parameters:
    ///   - limit: Bytes to accept; a larger body is `.invalidResponse`.
    ///   - events: Receives every decision of this call, in order.
    /// - Throws: `NetworkError` without a response; a status never throws.
    func collect(
        _ request: RawRequest, upTo limit: Int, options: CallOptions, events: @escaping EventSink
    ) async throws(NetworkError) -> RawResponse

    /// Gives the body to `receive` as it arrives. The stream is single-pass and ends with the closure. It has no total deadline
    /// unless `options` state one.
    ///
    /// - Throws: `NetworkError` without a response, and for an error of `receive`.
    func stream<Result: Sendable>(
        _ request: RawRequest, options: CallOptions, events: @escaping EventSink,
        receive: @escaping ReceiveBody<Result>
    ) async throws(NetworkError) -> Result

    /// Breaker and budget of the origin of `url`; `nil` for an invalid URL.
    func state(of url: String) -> OriginState?
}
