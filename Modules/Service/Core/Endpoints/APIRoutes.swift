public import StrataDomain

/// The endpoints of a backend, each with who may call it and what answers; a visible, inspectable list.
///
/// Three ways to answer: `read` and `write` hand a transaction to a synchronous body, `handle` is for what needs none
/// or does its own. The effect of a `write` and the answer stored under its `Idempotency-Key` commit together. What is
/// too large to be held goes by `upload`, which is a `write`, and `file`, which is a `read`.
public struct APIRoutes: Sendable {
    public private(set) var mounted: [MountedEndpoint] = []

    public init() {}

    public mutating func handle<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope) async throws -> E.Response
    ) {
        mounted.append(MountedEndpoint(endpoint, access, .handle(body)))
    }

    public mutating func read<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope, any StoreReader) throws -> E.Response
    ) {
        mounted.append(MountedEndpoint(endpoint, access, .read(body)))
    }

    public mutating func write<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope, any StoreTransaction) throws -> E.Response
    ) {
        mounted.append(MountedEndpoint(endpoint, access, .write(body)))
    }

    /// - Parameter body: Says where the chunks of the answer come from.
    mutating func stream<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope) async throws -> StreamAnswer
    ) {
        mounted.append(MountedEndpoint(stream: endpoint, access, body))
    }

    public mutating func upload<H: UploadHandler>(_ handler: H, for access: Access) {
        mounted.append(MountedEndpoint(upload: handler, access))
    }

    /// - Parameter body: Says which file is the answer's content; ranges, conditions and HEAD are seen to.
    public mutating func file<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: Access,
        _ body: @escaping @Sendable (E, RequestScope, any StoreReader) throws -> FileAnswer
    ) {
        mounted.append(MountedEndpoint(file: endpoint, access, body))
    }
}
