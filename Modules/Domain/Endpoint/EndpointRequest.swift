public import FoundationEssentials

/// The request of an endpoint, without base URL, default headers and credentials.
public struct EndpointRequest: Sendable, Hashable {
    public var method: HTTPMethod
    /// Percent-encoded, starting with `/`.
    public var path: String
    public var query: QueryItems
    public var headers: HeaderFields
    public var body: RequestBody?

    public init(
        method: HTTPMethod = .get, path: String, query: QueryItems = [:], headers: HeaderFields = [:],
        body: RequestBody? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// Path and query, as in a request line.
    public var target: String { query.items.isEmpty ? path : "\(path)?\(query.encoded)" }
}

/// Bytes with their media type.
public struct RequestBody: Sendable, Hashable {
    public var contentType: String
    public var bytes: Data

    public init(contentType: String, bytes: Data) {
        self.contentType = contentType
        self.bytes = bytes
    }

    /// `value` as JSON on the wire.
    public static func json(_ value: some Encodable) throws -> RequestBody {
        RequestBody(contentType: MediaType.json, bytes: try WireJSON.encode(value))
    }
}

/// A received request, split into the inputs of `@Path`, `@Query`, `@Header` and `@Body`.
public struct EndpointParts: Sendable {
    /// Decoded values of the `{name}` segments.
    public var pathParameters: [String: String]
    public var query: QueryItems
    public var headers: HeaderFields
    /// `nil` when the request has no body.
    public var body: RequestBody?

    public init(
        pathParameters: [String: String] = [:], query: QueryItems = [:], headers: HeaderFields = [:],
        body: RequestBody? = nil
    ) {
        self.pathParameters = pathParameters
        self.query = query
        self.headers = headers
        self.body = body
    }
}
