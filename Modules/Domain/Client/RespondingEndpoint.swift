/// An endpoint with a response type of its call, for an enum whose cases have a response each.
public struct RespondingEndpoint<Base: Endpoint, Response: Decodable & Sendable>: Endpoint, EndpointWrapper {
    /// The endpoint that is sent.
    public let base: Base

    /// The endpoint `base`, with another type of response.
    public init(_ base: Base, as type: Response.Type = Response.self) { self.base = base }

    public static var json: JSONForm { Base.json }

    public func request() throws(EndpointError) -> EndpointRequest { try base.request() }

    public var options: CallOptions { base.options }

    package var wrapped: any Endpoint { base }
}

/// An endpoint that sends the request of another one.
package protocol EndpointWrapper {
    var wrapped: any Endpoint { get }
}

extension APIClient {
    /// Sends `endpoint` and decodes the response as `type`, whatever the endpoint's own response type is.
    ///
    /// ```swift
    /// let user = try await client.send(UserEndpoint.get(id), as: User.self)
    /// ```
    public func send<E: Endpoint, Value: Decodable & Sendable>(
        _ endpoint: E, as type: Value.Type, options: CallOptions = CallOptions()
    ) async throws(NetworkError) -> Value {
        try await response(to: RespondingEndpoint(endpoint, as: type), options: options).value
    }
}
