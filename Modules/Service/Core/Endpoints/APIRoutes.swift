public import StrataDomain

/// The endpoints of a backend in order, each with its access and its handler.
///
/// `read` and `write` give a synchronous handler a transaction. `handle` is for a handler that needs none or opens its own.
/// The effect of a `write` and the response stored under its `Idempotency-Key` commit together. Bodies too large for memory
/// use `upload`, which is a `write`, and `file`, which is a `read`.
public struct APIRoutes: Sendable {
    public private(set) var mounted: [MountedEndpoint] = []

    public init() {}

    public mutating func handle<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope) async throws -> E.Response
    ) {
        mounted.append(MountedEndpoint(endpoint, access, handle: body))
    }

    public mutating func read<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope, any StoreReader) throws -> E.Response
    ) {
        mounted.append(MountedEndpoint(endpoint, access, read: body))
    }

    public mutating func write<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope, any StoreTransaction) throws -> E.Response
    ) {
        mounted.append(MountedEndpoint(endpoint, access, write: body))
    }

    /// - Parameter body: Returns the first chunk of the response.
    mutating func stream<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope) async throws -> StreamResponse
    ) {
        mounted.append(MountedEndpoint(endpoint, access, stream: body))
    }

    public mutating func upload<H: UploadHandler>(_ handler: H, for access: Access) {
        mounted.append(MountedEndpoint(access, upload: handler))
    }

    /// - Parameter body: Returns the file to send. Ranges, conditions and HEAD need no code of the feature.
    public mutating func file<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope, any StoreReader) throws -> FileResponse
    ) {
        mounted.append(MountedEndpoint(endpoint, access, file: body))
    }
}
