public import FoundationEssentials

/// The request of an endpoint, without base URL, default headers and credentials.
public struct EndpointRequest: Sendable, Hashable {
    /// The method.
    public var method: HTTPMethod
    /// Percent-encoded, starting with `/`.
    public var path: String
    /// The items of the query, not escaped.
    public var query: QueryItems
    /// The fields of the request.
    public var headers: HeaderFields
    /// The body; `nil` for none.
    public var body: RequestBody?
    /// Sent as it is in place of path and query: an absolute URL of the client's origin or a trusted one, or a path below the
    /// base URL, perhaps with a query. Default: `nil`.
    public var url: String?

    /// A request for `path`, or for the absolute `url`.
    public init(
        method: HTTPMethod = .get, path: String, query: QueryItems = [:], headers: HeaderFields = [:],
        body: RequestBody? = nil, url: String? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.url = url
    }

    /// Path and query, as in a request line; or `url`.
    public var target: String { url ?? pathAndQuery }

    private var pathAndQuery: String { query.items.isEmpty ? path : "\(path)?\(query.encoded)" }
}

/// Bytes with their media type.
public struct RequestBody: Sendable, Hashable {
    /// The media type of the body.
    public var contentType: String
    /// The body as it is sent.
    public var bytes: Data

    /// A body that is encoded already.
    public init(contentType: String, bytes: Data) {
        self.contentType = contentType
        self.bytes = bytes
    }

    /// `value` as JSON: within `ManualEndpoint.body()` in the form of the endpoint or its client, else in `.snakeCase`.
    public static func json(_ value: some Encodable) throws -> RequestBody {
        RequestBody(contentType: MediaType.json, bytes: try (JSONForm.current ?? .snakeCase).encode(value))
    }

    /// A `FormBody` as a form, any other value as JSON.
    static func encoded(_ value: some Encodable) throws(EndpointError) -> RequestBody {
        do {
            return if let form = value as? any FormBody { try .form(form) } else { try .json(value) }
        } catch { throw EndpointError(encoding: error) }
    }

    /// `value` as an HTML form; its names and dates follow the same rule as in `json`.
    ///
    /// - Throws: An `EndpointError` that names the field which a form cannot hold.
    public static func form(_ value: some FormBody) throws -> RequestBody {
        RequestBody(
            contentType: MediaType.form, bytes: try FormCoding.encode(value, in: JSONForm.current ?? .snakeCase))
    }
}

/// A received request, split into the inputs of `@Path`, `@Query`, `@Header` and `@Body`.
public struct EndpointParts: Sendable {
    /// Decoded values of the `{name}` segments.
    public var pathParameters: [String: String]
    /// The items of the query.
    public var query: QueryItems
    /// The fields of the header.
    public var headers: HeaderFields
    /// `nil` when the request has no body.
    public var body: RequestBody?

    /// The parts of a request, before its path is put together.
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
