public import FoundationEssentials

/// Sends endpoints to one API. Knows credentials, resilience and decoding; the caller knows only endpoints.
///
/// An implementation never retries what could take effect twice, and never puts a secret into an error.
public protocol APIClient: Sendable {
    /// Sends `endpoint` and decodes a success.
    ///
    /// - Throws: `NetworkError` for everything else, 4xx and 5xx included.
    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response>

    /// Sends `endpoint` and hands the body of a success to `receive` as it arrives.
    ///
    /// The stream is single-pass and ends with the closure.
    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
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

/// What a caller may say about one call.
public struct CallOptions: Sendable, Hashable {
    /// Names one logical write; the same over retries and restarts. Default: none, and a POST is then not retried.
    public var idempotencyKey: String?
    /// Total time for the call, everything included. Default: the client's.
    public var deadline: Duration?
    /// Time for one attempt, when the server is expected to let it wait. Default: the client's.
    public var attemptTimeout: Duration?
    /// Fields of this call, in place of the endpoint's and the client's of the same names. Default: none.
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

/// Status and header fields of an answer.
public struct ResponseHead: Sendable, Hashable {
    public var status: Int
    /// What the server wrote behind the status; `nil` where the transport does not tell. It carries no meaning.
    public var reason: String?
    public var headers: HeaderFields

    public init(status: Int, reason: String? = nil, headers: HeaderFields = [:]) {
        self.status = status
        self.reason = reason
        self.headers = headers
    }
}

/// A decoded answer with its head.
public struct APIResponse<Value: Sendable>: Sendable {
    public var head: ResponseHead
    public var value: Value

    public init(head: ResponseHead, value: Value) {
        self.head = head
        self.value = value
    }
}
