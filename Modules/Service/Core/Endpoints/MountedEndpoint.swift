public import StrataDomain

/// One endpoint with its handler, its type erased. A class, because each request to it passes it on.
public final class MountedEndpoint: Sendable {
    /// Method and path.
    public let route: Route
    /// Who may call it.
    public let access: Access
    /// The status of a success.
    public let successStatus: Int
    /// The media type of a response that is no stream and no file.
    let mediaType: String
    /// Largest body in bytes; `nil` takes the limit of the service.
    let bodyLimit: Int?
    /// Whether an `Idempotency-Key` makes the response repeatable.
    let storesResponses: Bool
    /// Whether it has no effect before its first read or write, which checks that the caller is the expected one.
    let checksCaller: Bool
    /// Whether its clients expect the errors of RFC 6749.
    let usesOAuthErrors: Bool
    let work: Work
    /// Throws for a type that no service can mount: `ForeignJSONForm`, or `EndpointError` of the kind `badDeclaration`.
    let check: @Sendable () throws -> Void
    /// What its types say, for the OpenAPI document.
    let describe: @Sendable (SchemaRecorder) -> EndpointDescription

    /// How a request becomes a response.
    enum Work: Sendable {
        case respond(@Sendable (EndpointInput) async throws -> EncodedResponse)
        case upload(UploadEndpoint)
        case file(@Sendable (EndpointInput) async throws -> FileResponse)
        case stream(@Sendable (EndpointInput) async throws -> StreamResponse)
    }

    init<E: RoutedEndpoint>(
        _ type: E.Type, _ access: Access, storesResponses: Bool = false, checksCaller: Bool = false, _ work: Work
    ) {
        route = E.route
        successStatus = E.successStatus
        mediaType = (E.Response.self as? any ContentResponse.Type)?.mediaType ?? MediaType.json
        bodyLimit = (E.self as? any BodyLimited.Type)?.bodyLimit
        usesOAuthErrors = E.self is any OAuthEndpoint.Type
        check = {
            guard E.json.isWire else { throw ForeignJSONForm(route: E.route) }
            try E.checkDeclaration()
        }
        self.access = access
        self.storesResponses = storesResponses
        self.checksCaller = checksCaller
        self.work = work
        describe = { EndpointDescription(E.self, by: $0) }
    }
}

/// A mounted endpoint states a JSON form of its own, which a service neither reads nor writes.
public struct ForeignJSONForm: Error, Sendable, Hashable, CustomStringConvertible {
    /// The route of the endpoint whose JSON has another form than that of the service.
    public let route: Route
    public var description: String {
        "The endpoint '\(route)' states a JSON form of its own, and a service speaks snake_case with RFC 3339 times only; leave its "
            + "'json' out."
    }
}
