public import StrataDomain

/// One endpoint with its handler, its type erased. A class, because each request to it passes it on.
public final class MountedEndpoint: Sendable {
    public let route: Route
    public let access: Access
    public let successStatus: Int
    /// The media type of a response that is no stream and no file.
    let mediaType: String
    /// Largest body in bytes; `nil` takes the limit of the service.
    let bodyLimit: Int?
    /// Whether an `Idempotency-Key` makes the response repeatable.
    let storesResponses: Bool
    /// Whether its clients expect the errors of RFC 6749.
    let usesOAuthErrors: Bool
    let work: Work
    /// What its types say, for the OpenAPI document.
    let describe: @Sendable (SchemaRecorder) -> EndpointDescription

    /// How a request becomes a response.
    enum Work: Sendable {
        case respond(@Sendable (EndpointInput) async throws -> EncodedResponse)
        case upload(UploadEndpoint)
        case file(@Sendable (EndpointInput) async throws -> FileResponse)
        case stream(@Sendable (EndpointInput) async throws -> StreamResponse)
    }

    init<E: RoutedEndpoint>(_ type: E.Type, _ access: Access, storesResponses: Bool = false, _ work: Work) {
        route = E.route
        successStatus = E.successStatus
        mediaType = (E.Response.self as? any ContentResponse.Type)?.mediaType ?? MediaType.json
        bodyLimit = (E.self as? any BodyLimited.Type)?.bodyLimit
        usesOAuthErrors = E.self is any OAuthEndpoint.Type
        self.access = access
        self.storesResponses = storesResponses
        self.work = work
        describe = { EndpointDescription(E.self, by: $0) }
    }
}
