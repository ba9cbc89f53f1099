/// One request of an API and the type of its response.
///
/// Conform through `RoutedEndpoint` for an endpoint that a server of this project mounts, or through
/// `ManualEndpoint` for a request to a foreign API.
public protocol Endpoint: Sendable {
    /// An optional type reads a response without content, such as a 204, as `nil`.
    associatedtype Response: Decodable & Sendable

    /// The form of its JSON, where it differs from its client's. Default: `.ofClient`.
    ///
    /// Leave it out for an endpoint that a server of this project mounts: such a server reads and writes `.snakeCase` only, and
    /// refuses to start with another form.
    static var json: JSONForm { get }

    /// The request without base URL, default headers and credentials.
    func request() throws(EndpointError) -> EndpointRequest
    /// Options of each call of this endpoint; those of the call win, field by field. Default: none.
    var options: CallOptions { get }
}

extension Endpoint {
    public var options: CallOptions { CallOptions() }
}

extension Endpoint {
    public static var json: JSONForm { .ofClient }

    /// The request with its body and its query items in `form`.
    ///
    /// `RequestBody.json` and the parts of a `RoutedEndpoint` follow it.
    public func request(in form: JSONForm) throws(EndpointError) -> EndpointRequest {
        // The common case needs no binding. Within another form's `request()` it does.
        if form.isWire, JSONForm.current == nil, Self.json.isWire { return try request() }
        return try form.bound(request)
    }

    /// The form in which a direct `request()` has to be built, where it is not bound yet.
    fileprivate var unboundForm: JSONForm? {
        !Self.json.isWire && JSONForm.current == nil ? Self.json : nil
    }
}

/// An endpoint whose parts are written by hand; an enum can have one case for each request.
///
/// Such an enum states no `Response`, and each call says what its response is: `send(_:as:)`.
public protocol ManualEndpoint: Endpoint {
    associatedtype Response = NoContent
    /// The method of the request.
    var method: HTTPMethod { get }
    /// Path below the base URL, percent-encoded, starting with `/`.
    var path: String { get }
    /// Default: none.
    var headers: HeaderFields { get }
    /// Default: none.
    var query: QueryItems { get }
    /// Default: `nil`. `.json(value)` and `.form(value)` encode in the form of the endpoint or its client.
    func body() throws -> RequestBody?
}

extension ManualEndpoint {
    public var headers: HeaderFields { [:] }
    public var query: QueryItems { [:] }
    public func body() throws -> RequestBody? { nil }

    public func request() throws(EndpointError) -> EndpointRequest {
        if let form = unboundForm { return try request(in: form) }
        let encodedBody: RequestBody?
        do { encodedBody = try body() } catch { throw EndpointError(encoding: error) }
        return EndpointRequest(method: method, path: path, query: query, headers: headers, body: encodedBody)
    }
}

/// An endpoint with one definition for both sides: the client encodes it, the server decodes it.
///
/// Its stored properties are its parts: `@Path`, `@Query`, `@Header` and `@Body`. The synthesised `Codable` reads and writes them;
/// `CodingKeys` of one's own name each part, and may leave out properties that are none.
/// A server that mounts it needs a response that is `Encodable` too; for a client `Decodable` is enough.
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
public protocol RoutedEndpoint: Endpoint, Codable {
    /// Method and path, which client and server share.
    static var route: Route { get }
    /// The status of a success. Default: 204 for `NoContent`, else 200.
    static var successStatus: Int { get }
    /// What the types do not say, for the OpenAPI document. Default: nothing.
    static var documentation: EndpointDocumentation { get }
}

extension RoutedEndpoint {
    public static var successStatus: Int { Response.self == NoContent.self ? 204 : 200 }

    public static var documentation: EndpointDocumentation { EndpointDocumentation() }

    public func request() throws(EndpointError) -> EndpointRequest {
        if let form = unboundForm { return try request(in: form) }
        return try EndpointEncoder.encode(self)
    }

    /// Reads a received request.
    public init(_ parts: EndpointParts) throws(EndpointError) {
        self = try EndpointDecoder.decode(Self.self, from: parts)
    }
}

/// A response without a body.
public struct NoContent: Codable, Sendable, Hashable {
    /// No content.
    public init() {}
}

/// A response with a version; the server sends it as a strong `ETag`.
public protocol EntityTagged {
    /// The tag of this state of the value.
    var entityTag: EntityTag { get }
}

/// A response without a version of its own. To a GET the server sends a strong `ETag` that it computes from the bytes.
package protocol ContentTagged {}
