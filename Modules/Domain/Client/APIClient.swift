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
    /// The stream is single-pass and ends with the closure.
    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions, receive: @escaping ReceiveBody<Result>
    ) async throws(NetworkError) -> Result
}

extension APIClient {
    public func send<E: Endpoint>(
        _ endpoint: E, options: CallOptions = CallOptions()
    ) async throws(NetworkError) -> E.Response {
        try await response(to: endpoint, options: options).value
    }

    /// The undecoded body of a success.
    ///
    /// - Parameter limit: Bytes to accept; a larger body is `.invalidResponse`.
    public func bytes<E: Endpoint>(
        _ endpoint: E, options: CallOptions = CallOptions(), upTo limit: Int
    ) async throws(NetworkError) -> Data {
        try await stream(endpoint, options: options) { _, chunks in
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

/// Options of one call.
public struct CallOptions: Sendable, Hashable {
    /// Names one logical write, over retries and restarts. Default: none; then a POST is not retried.
    public var idempotencyKey: String?
    /// Total time of the call. Default: the client's.
    public var deadline: Duration?
    /// Time of one attempt, for a request that the server answers late on purpose. Default: the client's.
    public var attemptTimeout: Duration?
    /// Header fields that replace the endpoint's and the client's fields of the same names. Default: none.
    public var headers: HeaderFields

    public init(
        idempotencyKey: String? = nil, deadline: Duration? = nil, attemptTimeout: Duration? = nil,
        headers: HeaderFields = [:]
    ) {
        self.idempotencyKey = idempotencyKey
        self.deadline = deadline
        self.attemptTimeout = attemptTimeout
        self.headers = headers
    }
}

/// Status and header fields of a response.
public struct ResponseHead: Sendable, Hashable {
    public var status: Int
    /// The reason phrase; `nil` from a transport without one. It has no meaning.
    public var reason: String?
    public var headers: HeaderFields

    public init(status: Int, reason: String? = nil, headers: HeaderFields = [:]) {
        self.status = status
        self.reason = reason
        self.headers = headers
    }
}

/// A decoded response with its head.
public struct APIResponse<Value: Sendable>: Sendable {
    public var head: ResponseHead
    public var value: Value

    public init(head: ResponseHead, value: Value) {
        self.head = head
        self.value = value
    }
}
