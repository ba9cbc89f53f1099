/// A request to a URL that the server gave, such as the next page or the state of a job; sent as it is.
public struct URLEndpoint<Response: Decodable & Sendable>: Endpoint {
    /// The method of the request.
    public let method: HTTPMethod
    /// Absolute, of the client's origin or a trusted one; or a path below the base URL, perhaps with a query.
    public let url: String
    /// The fields of the request.
    public let headers: HeaderFields

    /// - Parameters:
    ///   - url: `APIClient.context.resolve` gives the absolute URL of a relative reference.
    ///   - type: The type of the response.
    public init(
        _ url: String, as type: Response.Type = Response.self, method: HTTPMethod = .get, headers: HeaderFields = [:]
    ) {
        self.url = url
        self.method = method
        self.headers = headers
    }

    public func request() -> EndpointRequest {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...].drop { $0 != "/" && $0 != "?" } } ?? url[...]
        let path = rest.prefix { $0 != "?" && $0 != "#" }
        return EndpointRequest(method: method, path: path.isEmpty ? "/" : String(path), headers: headers, url: url)
    }
}

extension APIClient {
    /// Sends a GET to a URL that the server gave and decodes the response.
    ///
    /// ```swift
    /// let next = try await client.send(page.nextURL, as: Page.self)
    /// ```
    ///
    /// - Parameters:
    ///   - url: Absolute, of the client's origin or a trusted one; or a path below the base URL, perhaps with a query. The
    ///     credential of the client goes along, as to each of its endpoints.
    ///   - base: The URL of the response that held `url`, which is then any reference (RFC 3986, section 5.2): `APIResponse.url`.
    /// - Throws: `.invalidRequest` or `.invalidResponse` for a URL of another origin; for such a one use `RawClient`.
    public func send<Value: Decodable & Sendable>(
        _ url: String, as type: Value.Type = Value.self, relativeTo base: String? = nil,
        options: CallOptions = CallOptions()
    ) async throws(NetworkError) -> Value {
        let url = try base.map { (base) throws(NetworkError) in try context.resolve(url, base) } ?? url
        return try await response(to: URLEndpoint(url, as: type), options: options).value
    }
}
