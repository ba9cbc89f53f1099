public import StrataDomain

/// The endpoints of a backend, each with who may call it and what answers; a visible, inspectable list.
///
/// Three ways to answer: `read` and `write` hand a transaction to a synchronous body, `handle` is for what needs none or
/// does its own. The effect of a `write` and the answer stored under its `Idempotency-Key` commit together.
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
}

/// One endpoint with its handler, its type erased.
public struct MountedEndpoint: Sendable {
    public let route: Route
    public let access: Access
    public let successStatus: Int
    let kind: Kind
    let answer: @Sendable (EndpointParts, RequestScope, Execution) async throws -> any Encodable & Sendable

    enum Kind: Sendable { case handle, read, write }

    enum Body<E: RoutedEndpoint>: Sendable {
        case handle(@Sendable (E, RequestScope) async throws -> E.Response)
        case read(@Sendable (E, RequestScope, any StoreReader) throws -> E.Response)
        case write(@Sendable (E, RequestScope, any StoreTransaction) throws -> E.Response)
    }

    init<E: RoutedEndpoint>(_ type: E.Type, _ access: Access, _ body: Body<E>) {
        route = E.route
        self.access = access
        successStatus = E.successStatus
        switch body {
        case .handle: kind = .handle
        case .read: kind = .read
        case .write: kind = .write
        }
        answer = { parts, scope, execution in
            let endpoint = try E(parts)
            switch body {
            case .handle(let body):
                return try await body(endpoint, scope)
            case .read(let body):
                return try await execution.store.read { reader in try body(endpoint, scope, reader) }
            case .write(let body):
                return try await execution.store.write { transaction in try body(endpoint, scope, transaction) }
            }
        }
    }
}

/// What an endpoint runs on.
struct Execution: Sendable {
    let store: any Store
}
