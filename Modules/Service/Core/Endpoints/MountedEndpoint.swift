public import StrataDomain

/// One endpoint with its handler, its type erased.
public struct MountedEndpoint: Sendable {
    public let route: Route
    public let access: Access
    public let successStatus: Int
    /// Largest body in bytes; `nil` takes the limit of the service.
    let bodyLimit: Int?
    /// Whether an `Idempotency-Key` makes the response repeatable.
    let storesResponses: Bool
    /// Whether its clients expect the errors of RFC 6749.
    let usesOAuthErrors: Bool
    let work: Work

    /// How a request becomes a response.
    enum Work: Sendable {
        case respond(@Sendable (EndpointInput) async throws -> EncodedResponse)
        case upload(UploadEndpoint)
        case file(@Sendable (EndpointInput) async throws -> FileResponse)
        case stream(@Sendable (EndpointInput) async throws -> StreamResponse)
    }

    private init<E: RoutedEndpoint>(_ type: E.Type, _ access: Access, storesResponses: Bool = false, _ work: Work) {
        route = E.route
        successStatus = E.successStatus
        bodyLimit = (E.self as? any BodyLimited.Type)?.bodyLimit
        usesOAuthErrors = E.self is any OAuthEndpoint.Type
        self.access = access
        self.storesResponses = storesResponses
        self.work = work
    }

    init<E: RoutedEndpoint>(
        _ type: E.Type, _ access: Access, handle body: @escaping @Sendable (E, RequestScope) async throws -> E.Response
    ) {
        let encoder = ResponseEncoder(type, access)
        self.init(
            type, access,
            .respond { input in
                try encoder.encode(try await body(E(input.parts), input.scope), to: input.target)
            })
    }

    init<E: RoutedEndpoint>(
        _ type: E.Type, _ access: Access,
        read body: @escaping @Sendable (E, RequestScope, any StoreReader) throws -> E.Response
    ) {
        let encoder = ResponseEncoder(type, access)
        self.init(
            type, access,
            .respond { input in
                let endpoint = try E(input.parts)
                let response = try await input.store.read { reader in try body(endpoint, input.scope, reader) }
                return try encoder.encode(response, to: input.target)
            })
    }

    init<E: RoutedEndpoint>(
        _ type: E.Type, _ access: Access,
        write body: @escaping @Sendable (E, RequestScope, any StoreTransaction) throws -> E.Response
    ) {
        let encoder = ResponseEncoder(type, access)
        self.init(
            // A response with a secret is never stored.
            type, access, storesResponses: !(E.Response.self is any NoStore.Type),
            .respond { input in
                let endpoint = try E(input.parts)
                return try await input.write(claim: input.claim) { transaction in
                    try encoder.encode(body(endpoint, input.scope, transaction), to: input.target)
                }.response
            })
    }

    init<H: UploadHandler>(_ access: Access, upload handler: H) {
        self.init(
            H.Call.self, access, storesResponses: true,
            .upload(UploadEndpoint(handler, ResponseEncoder(H.Call.self, access))))
    }

    init<E: RoutedEndpoint>(
        _ type: E.Type, _ access: Access,
        file body: @escaping @Sendable (E, RequestScope, any StoreReader) throws -> FileResponse
    ) {
        self.init(
            type, access,
            .file { input in
                let endpoint = try E(input.parts)
                return try await input.store.read { reader in try body(endpoint, input.scope, reader) }
            })
    }

    init<E: RoutedEndpoint>(
        _ type: E.Type, _ access: Access,
        stream body: @escaping @Sendable (E, RequestScope) async throws -> StreamResponse
    ) {
        self.init(type, access, .stream { input in try await body(E(input.parts), input.scope) })
    }
}
