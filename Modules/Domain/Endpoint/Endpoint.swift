/// One request of an API and the type of its response.
///
/// Conform through `RoutedEndpoint` for an endpoint that a server of this project mounts, or through
/// `ManualEndpoint` for a request to a foreign API.
public protocol Endpoint: Sendable {
    associatedtype Response: Decodable & Sendable

    /// The request without base URL, default headers and credentials.
    func request() throws(EndpointError) -> EndpointRequest
}

/// An endpoint whose parts are written by hand; an enum can have one case for each request.
///
/// Such an enum states no `Response`, and each call says what its response is: `send(_:as:)`.
public protocol ManualEndpoint: Endpoint {
    associatedtype Response = NoContent
    var method: HTTPMethod { get }
    /// Path below the base URL, percent-encoded, starting with `/`.
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

/// An endpoint with one definition for both sides: the client encodes it, the server decodes it.
///
/// Its stored properties are its parts: `@Path`, `@Query`, `@Header` and `@Body`. The synthesised `Codable` reads and writes them.
///
/// ```swift
/// struct UpdateNote: RoutedEndpoint {
///     static let route = Route.put("/v1/notes/{id}")
///     @Path var id: Note.ID
///     @Header var ifMatch: EntityTag
///     @Body var draft: NoteDraft
///     typealias Response = NotePayload
/// }
/// ```
public protocol RoutedEndpoint: Endpoint, Codable where Response: Encodable {
    static var route: Route { get }
    /// The status of a success. Default: 204 for `NoContent`, else 200.
    static var successStatus: Int { get }
    /// What the types do not say, for the OpenAPI document. Default: nothing.
    static var documentation: EndpointDocumentation { get }
}

extension RoutedEndpoint {
    public static var successStatus: Int { Response.self == NoContent.self ? 204 : 200 }

    public static var documentation: EndpointDocumentation { EndpointDocumentation() }

    public func request() throws(EndpointError) -> EndpointRequest { try EndpointEncoder.encode(self) }

    /// Reads a received request.
    public init(_ parts: EndpointParts) throws(EndpointError) {
        self = try EndpointDecoder.decode(Self.self, from: parts)
    }
}

/// A response without a body.
public struct NoContent: Codable, Sendable, Hashable {
    public init() {}
}

/// A response with a version; the server sends it as a strong `ETag`.
public protocol EntityTagged {
    var entityTag: EntityTag { get }
}
