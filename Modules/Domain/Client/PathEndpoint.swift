/// A call that is stated where it is made: method, path and values. For an API of which one needs a call or two.
public struct PathEndpoint<Response: Decodable & Sendable>: Endpoint {
    private let route: Route
    private let parameters: CallParameters
    private let body: (any Encodable & Sendable)?

    /// - Parameters:
    ///   - path: Below the base URL, with names in braces: `/users/{name}/repos`. The rest of it is percent-encoded.
    ///   - parameters: A value for each name in braces, and the query.
    ///   - body: Sent in the form of the client: a `FormBody` as an HTML form, any other value as JSON.
    public init(
        _ method: HTTPMethod, _ path: String, _ parameters: CallParameters = [:],
        body: (any Encodable & Sendable)? = nil,
        as type: Response.Type = Response.self
    ) {
        route = Route(method, path)
        self.parameters = parameters
        self.body = body
    }

    public func request() throws(EndpointError) -> EndpointRequest {
        let names = Set(route.parameterNames)
        var (segments, query) = ([String: String](), QueryItems())
        for (name, value) in parameters.values {
            try value.checkParameter(in: names.contains(name) ? .path : .query, key: name)
            let texts = value.parameters
            if names.contains(name) {
                segments[name] = texts.first
            } else {
                for text in texts { query.add(name, text) }
            }
        }
        guard let path = route.path(segments) else {
            let name = route.parameterNames.first { ["", ".", "..", nil].contains(segments[$0]) } ?? "path"
            guard segments[name] != nil else {
                throw EndpointError(
                    .missing, in: .path, key: name, expected: "a value for '{\(name)}' in the parameters")
            }
            throw EndpointError(.malformed, in: .path, key: name, expected: "a value that is no dot segment")
        }
        // Values are percent-encoded, so a brace is of the path as it was written.
        guard !path.utf8.contains(UInt8(ascii: "{")) else {
            throw EndpointError(.malformed, in: .path, key: "path", expected: "each name in braces as a whole segment")
        }
        let encoded: RequestBody? = if let body { try .encoded(body) } else { nil }
        return EndpointRequest(method: route.method, path: path, query: query, body: encoded)
    }
}

extension APIClient {
    /// The response of a GET: `let stars: [Repo] = try await client.get("/users/{name}/repos", ["name": "ada", "page": 2])`.
    public func get<Value: Decodable & Sendable>(
        _ path: String, _ parameters: CallParameters = [:], options: CallOptions = CallOptions()
    ) async throws(NetworkError) -> Value {
        try await send(PathEndpoint(.get, path, parameters), options: options)
    }

    /// The response of a POST without a body.
    public func post<Value: Decodable & Sendable>(
        _ path: String, _ parameters: CallParameters = [:], options: CallOptions = CallOptions()
    ) async throws(NetworkError) -> Value {
        try await send(PathEndpoint(.post, path, parameters), options: options)
    }

    /// The response of a POST of `body` as JSON.
    public func post<Value: Decodable & Sendable>(
        _ path: String, _ parameters: CallParameters = [:], body: some Encodable & Sendable,
        options: CallOptions = CallOptions()
    ) async throws(NetworkError) -> Value {
        try await send(PathEndpoint(.post, path, parameters, body: body), options: options)
    }

    /// The response of a PUT of `body` as JSON.
    public func put<Value: Decodable & Sendable>(
        _ path: String, _ parameters: CallParameters = [:], body: some Encodable & Sendable,
        options: CallOptions = CallOptions()
    ) async throws(NetworkError) -> Value {
        try await send(PathEndpoint(.put, path, parameters, body: body), options: options)
    }

    /// The response of a PATCH with `body` as JSON.
    public func patch<Value: Decodable & Sendable>(
        _ path: String, _ parameters: CallParameters = [:], body: some Encodable & Sendable,
        options: CallOptions = CallOptions()
    ) async throws(NetworkError) -> Value {
        try await send(PathEndpoint(.patch, path, parameters, body: body), options: options)
    }

    /// The response of a DELETE.
    public func delete<Value: Decodable & Sendable>(
        _ path: String, _ parameters: CallParameters = [:], options: CallOptions = CallOptions()
    ) async throws(NetworkError) -> Value {
        try await send(PathEndpoint(.delete, path, parameters), options: options)
    }
}
