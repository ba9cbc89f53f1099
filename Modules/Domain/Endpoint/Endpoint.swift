/// One call of an API: what is sent, and as `Response` what comes back.
///
/// Conform through `RoutedEndpoint` for calls that a backend of ours mounts too, or through `ManualEndpoint` for an
/// enum of calls to someone else's API.
public protocol Endpoint: Sendable {
    associatedtype Response: Decodable & Sendable

    /// The request without base URL, default headers and credentials.
    func request() throws(EndpointError) -> EndpointRequest
}

/// An endpoint that states its parts by hand; an enum of cases can be one.
public protocol ManualEndpoint: Endpoint {
    var method: HTTPMethod { get }
    /// Path below the base URL, starting with `/`, already percent-encoded.
    var path: String { get }
    /// Default: none.
    var headers: HeaderFields { get }
    /// Default: none.
    var query: QueryItems { get }
    /// Default: `nil`.
    func body() throws -> RequestBody?
}

extension ManualEndpoint {
    public var headers: HeaderFields { [:] }
    public var query: QueryItems { [:] }
    public func body() throws -> RequestBody? { nil }

    public func request() throws(EndpointError) -> EndpointRequest {
        let encodedBody: RequestBody?
        do { encodedBody = try body() } catch {
            throw EndpointError(.malformed, in: .body, key: "body", expected: "encodable JSON")
        }
        return EndpointRequest(method: method, path: path, query: query, headers: headers, body: encodedBody)
    }
}

/// An endpoint whose one definition serves both sides: the client encodes it, the backend decodes it.
///
/// Its stored properties are parts, `@Path`, `@Query`, `@Header` and `@Body`; the synthesised `Codable` does the rest.
///
/// ```swift
/// struct UpdateRunbook: RoutedEndpoint {
///     static let route = Route.put("/v1/runbooks/{id}")
///     @Path var id: Runbook.ID
///     @Header var ifMatch: EntityTag
///     @Body var draft: RunbookDraft
///     typealias Response = RunbookPayload
/// }
/// ```
public protocol RoutedEndpoint: Endpoint, Codable where Response: Encodable {
    static var route: Route { get }
    /// The status of a success. Default: 204 for `NoContent`, else 200.
    static var successStatus: Int { get }
}

extension RoutedEndpoint {
    public static var successStatus: Int { Response.self == NoContent.self ? 204 : 200 }

    public func request() throws(EndpointError) -> EndpointRequest { try EndpointEncoder.encode(self) }

    /// Reads a request that the client side wrote, or anybody else.
    public init(_ parts: EndpointParts) throws(EndpointError) {
        self = try EndpointDecoder.decode(Self.self, from: parts)
    }
}

/// The response of a call that answers without a body.
public struct NoContent: Codable, Sendable, Hashable {
    public init() {}
}

/// A response that carries the version it was read at; the backend sends it as a strong `ETag`.
public protocol EntityTagged {
    var entityTag: EntityTag { get }
}
