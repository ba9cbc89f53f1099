public import FoundationEssentials

/// Receives the head of a response and its body as it arrives.
///
/// The name lets a package implement the protocols below whatever its setting of `NonisolatedNonsendingByDefault`: a function
/// type that is spelled out means another type there.
public typealias ReceiveBody<Result> =
    @Sendable (
        ResponseHead, any AsyncSequence<Data, any Error> & Sendable
    ) async throws -> Result

/// Sends endpoints to one API. It adds credentials, retries and decoding.
///
/// An implementation never retries a request that could take effect twice, and never puts a secret into an error.
public protocol APIClient: Sendable {
    /// Sends `endpoint` and decodes the response.
    ///
    /// - Throws: `NetworkError` without a success, 4xx and 5xx included.
    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response>

    /// Sends `endpoint` and gives the body of a success to `receive` as it arrives.
    ///
    /// The stream is single-pass and ends with the closure. It has no total deadline unless `options` or the endpoint state one.
    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions, receive: @escaping ReceiveBody<Result>
    ) async throws(NetworkError) -> Result

    /// For operations of several requests. Default: the system's clocks, and every URL as it stands. A client that sends through
    /// another one passes on that one's.
    var context: ClientContext { get }
}

extension APIClient {
    public var context: ClientContext { ClientContext() }

    /// The decoded response with its head, with the options of the endpoint.
    public func response<E: Endpoint>(to endpoint: E) async throws(NetworkError) -> APIResponse<E.Response> {
        try await response(to: endpoint, options: CallOptions())
    }

    /// Sends the endpoint and returns its decoded response.
    public func send<E: Endpoint>(
        _ endpoint: E, options: CallOptions = CallOptions()
    ) async throws(NetworkError) -> E.Response {
        try await response(to: endpoint, options: options).value
    }

    /// The undecoded body of a success, within the deadline of the client.
    ///
    /// - Parameter limit: Bytes to accept; a larger body is `.invalidResponse`.
    public func bytes<E: Endpoint>(
        _ endpoint: E, options: CallOptions = CallOptions(), upTo limit: Int
    ) async throws(NetworkError) -> Data {
        var options = options.overlaying(endpoint.options)
        options.deadline = options.deadline.or(.client)
        return try await stream(endpoint, options: options) { _, chunks in
            var bytes = Data()
            for try await chunk in chunks {
                guard bytes.count + chunk.count <= limit else {
                    throw NetworkError(.invalidResponse("the body is larger than \(limit) bytes"))
                }
                bytes.append(chunk)
            }
            return bytes
        }
    }
}

/// A decoded response with its head.
public struct APIResponse<Value: Sendable>: Sendable {
    /// Status and fields.
    public var head: ResponseHead
    /// The decoded response.
    public var value: Value
    /// The absolute URL that responded, after redirects; `nil` from a client that does not know it. References in the response,
    /// such as `Location`, are relative to it.
    public var url: String?

    /// A response; `url` is the one that was answered, after redirects.
    public init(head: ResponseHead, value: Value, url: String? = nil) {
        self.head = head
        self.value = value
        self.url = url
    }
}
