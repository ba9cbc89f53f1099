public import FoundationEssentials

/// A request to any URL, as a person states it.
public struct RawRequest: Sendable {
    public var method: HTTPMethod
    /// Absolute, or a path that is put behind the base URL of the client.
    public var url: String
    public var headers: HeaderFields
    public var body: UploadBody?

    public init(_ method: HTTPMethod = .get, _ url: String, headers: HeaderFields = [:], body: UploadBody? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// Head and bytes of an answer of any status.
public struct RawResponse: Sendable, Hashable {
    public var head: ResponseHead
    public var bytes: Data

    public init(head: ResponseHead, bytes: Data) {
        self.head = head
        self.bytes = bytes
    }
}

/// What the client remembers of one origin.
public struct OriginState: Codable, Sendable, Hashable {
    public enum Circuit: String, Codable, Sendable {
        case closed, open
        case halfOpen = "half-open"
    }

    /// `https://host:port`, without a default port.
    public var origin: String
    public var circuit: Circuit
    /// When an open circuit lets a probe through.
    public var openUntil: Date?
    /// Retries that may still be made.
    public var retryBudget: Double
    /// Until when the origin asked to be left alone.
    public var pausedUntil: Date?

    public init(
        origin: String, circuit: Circuit, openUntil: Date? = nil, retryBudget: Double, pausedUntil: Date? = nil
    ) {
        self.origin = origin
        self.circuit = circuit
        self.openUntil = openUntil
        self.retryBudget = retryBudget
        self.pausedUntil = pausedUntil
    }
}

/// Sends requests that no endpoint describes through the same pipeline. An answer of any status is a result.
public protocol RawClient: Sendable {
    /// The whole answer.
    ///
    /// - Parameters:
    ///   - limit: Bytes to accept; a larger body is `.invalidResponse`.
    ///   - events: Told every decision of this call, in order.
    /// - Throws: `NetworkError` when there is no answer; statuses never throw.
    func collect(
        _ request: RawRequest, upTo limit: Int, options: CallOptions, events: @escaping EventSink
    ) async throws(NetworkError) -> RawResponse

    /// Hands the body to `receive` as it arrives. The stream is single-pass and ends with the closure.
    ///
    /// - Throws: `NetworkError` when there is no answer, or what `receive` threw as one.
    func stream<Result: Sendable>(
        _ request: RawRequest, options: CallOptions, events: @escaping EventSink,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result

    /// Breaker, budget and pause of the origin of `url`; `nil` when `url` is none.
    func state(of url: String) -> OriginState?
}
