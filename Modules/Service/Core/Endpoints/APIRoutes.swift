public import StrataDomain

/// The endpoints of a backend in order, each with its access and its handler.
///
/// `read` and `write` give a synchronous handler a transaction. `handle` is for a handler that needs none or opens its own.
/// The effect of a `write` and the response stored under its `Idempotency-Key` commit together. Bodies too large for memory
/// use `upload`, which is a `write`, and `file`, which is a `read`.
public struct APIRoutes: Sendable {
    /// The endpoints that were added, in order.
    public private(set) var mounted: [MountedEndpoint] = []
    /// The tables of mounted entities.
    var tables: [any RelatedTable] = []
    /// Those who ask for tables of other features.
    var relations: [TableRelations] = []
    /// The texts that the service accepts, by type, for the OpenAPI document.
    private(set) var choices: [ObjectIdentifier: [String]] = [:]

    /// No routes.
    public init() {}

    /// States the texts that the service accepts for a type which accepts any, for the OpenAPI document.
    public mutating func describe(_ type: Any.Type, as texts: [String]) { choices[ObjectIdentifier(type)] = texts }

    /// Adds an endpoint, whose response `body` makes.
    public mutating func handle<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope) async throws -> E.Response
    ) where E.Response: Encodable {
        let encoder = ResponseEncoder(endpoint, access)
        mount(endpoint, access) { input in
            try encoder.encode(try await body(E(input.parts), input.scope), to: input.target)
        }
    }

    /// Adds an endpoint that reads: `body` runs in a transaction that cannot write.
    public mutating func read<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope, any StoreReader) throws -> E.Response
    ) where E.Response: Encodable {
        let encoder = ResponseEncoder(endpoint, access)
        mount(endpoint, access, checksCaller: true) { input in
            let call = try E(input.parts)
            let response = try await input.read { reader in try body(call, input.scope, reader) }
            return try encoder.encode(response, to: input.target)
        }
    }

    /// The same for a response that `body` writes as JSON.
    public mutating func read<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope, any StoreReader) throws -> EncodedJSON<E.Response>
    ) where E.Response: Encodable {
        let encoder = ResponseEncoder(endpoint, access)
        mount(endpoint, access, checksCaller: true) { input in
            let call = try E(input.parts)
            let json = try await input.read { reader in try body(call, input.scope, reader) }
            return encoder.encode(json, to: input.target)
        }
    }

    /// Adds an endpoint that writes: `body` runs in a transaction, which is repeated when another one has overtaken
    /// it.
    public mutating func write<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope, any StoreTransaction) throws -> E.Response
    ) where E.Response: Encodable {
        write(endpoint, for: access, preparing: { call, _ in call }, body)
    }

    /// - Parameter prepare: The part of the work that needs no transaction. Other writes do not wait for it, and it is not run
    ///   again with the transaction. A stored response takes precedence over its error.
    public mutating func write<E: RoutedEndpoint, Prepared: Sendable>(
        _ endpoint: E.Type, for access: Access,
        preparing prepare: @escaping @Sendable (E, RequestScope) throws -> Prepared,
        _ body: @escaping @Sendable (Prepared, RequestScope, any StoreTransaction) throws -> E.Response
    ) where E.Response: Encodable {
        let encoder = ResponseEncoder(endpoint, access)
        // A response with a secret is never stored.
        let storesResponses = !(E.Response.self is any NoStore.Type)
        mount(endpoint, access, storesResponses: storesResponses, checksCaller: true) { input in
            let call = try E(input.parts)
            let prepared = Result { try prepare(call, input.scope) }
            return try await input.write(claim: input.claim) { transaction in
                try encoder.encode(body(prepared.get(), input.scope, transaction), to: input.target)
            }.response
        }
    }

    /// - Parameter body: Returns the first chunk of the response.
    mutating func stream<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope) async throws -> StreamResponse
    ) {
        mounted.append(
            MountedEndpoint(endpoint, access, .stream { input in try await body(E(input.parts), input.scope) }))
    }

    /// Adds an endpoint that receives a stream.
    public mutating func upload<H: UploadHandler>(_ handler: H, for access: Access) {
        let upload = UploadEndpoint(handler, ResponseEncoder(H.Call.self, access))
        mounted.append(MountedEndpoint(H.Call.self, access, storesResponses: true, .upload(upload)))
    }

    /// The same for an upload that may also be resumed, with the endpoints of its upload resources.
    public mutating func upload<H: ResumableUploadHandler>(resumable handler: H, for access: Access) {
        let encoder = ResponseEncoder(H.Call.self, access)
        let uploads = ResumableUploads(handler, encoder)
        mounted.append(
            MountedEndpoint(
                H.Call.self, access, storesResponses: true, .upload(UploadEndpoint(handler, encoder, uploads))))
        mount(ReadUpload<H>.self, access) { input in try await uploads.read(input) }
        mounted.append(MountedEndpoint(AppendToUpload<H>.self, access, .upload(UploadEndpoint(uploads))))
        mount(CancelUpload<H>.self, access) { input in try await uploads.cancel(input) }
    }

    /// - Parameter body: Returns the file to send. Ranges, conditions and HEAD need no code of the feature.
    public mutating func file<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope, any StoreReader) throws -> FileResponse
    ) {
        let find: @Sendable (EndpointInput) async throws -> FileResponse = { input in
            let call = try E(input.parts)
            return try await input.store.read { reader in try body(call, input.scope, reader) }
        }
        mounted.append(MountedEndpoint(endpoint, access, .file(find)))
    }

    mutating func mount<E: RoutedEndpoint>(
        _ endpoint: E.Type, _ access: Access, storesResponses: Bool = false, checksCaller: Bool = false,
        _ respond: @escaping @Sendable (EndpointInput) async throws -> EncodedResponse
    ) {
        mounted.append(
            MountedEndpoint(
                endpoint, access, storesResponses: storesResponses, checksCaller: checksCaller, .respond(respond)))
    }
}
