import FoundationEssentials
import HummingbirdTesting
import Logging
import StrataDomain
public import StrataNetworking
public import StrataService
public import StrataTesting

/// A backend with one feature on a database of its own, reached by the real client without a socket.
public struct InProcessBackend: Sendable {
    /// What the backend stamps with.
    public let clock: ManualWallClock
    /// The store of the backend.
    public let store: any Store
    fileprivate let service: ServiceApplication
    fileprivate let http: any TestClientProtocol

    /// The endpoints of the backend, for a test that asks each of them.
    public var routes: [MountedEndpoint] { service.routes.mounted }

    /// Converts and rewrites the rows that wait for it, which a running service does by itself.
    public func workOnRows() async throws { try await service.workOnRows() }

    /// A client of a user.
    ///
    /// - Parameters:
    ///   - user: A user that the backend knows: any name; `admin` and `admin-ada` are administrators, and `viewer-ada` has the role
    ///     `viewer` where the backend was made with it.
    ///   - wrap: Puts something between client and backend.
    public func client(
        as user: String = "ada", wrap: (any Transport) -> any Transport = { $0 }
    ) throws -> HTTPAPIClient {
        try client(.bearer(ScriptedTokens("token-of-\(user)")), wrap)
    }

    /// A client with the token of a host.
    public func machine(_ host: String = "web1") throws -> HTTPAPIClient {
        try client(.apiKey(Secret("key of \(host)"), in: .header("X-API-Key")), { $0 })
    }

    /// Requests as bytes, written down with their responses.
    public func transcript() -> WireTranscript { WireTranscript(client: http) }

    /// A client that says nothing about who it is.
    public func anonymous() throws -> HTTPAPIClient { try client(.none, { $0 }) }

    private func client(_ auth: AuthStyle, _ wrap: (any Transport) -> any Transport) throws -> HTTPAPIClient {
        try HTTPAPIClient(
            baseURL: HTTPURL("http://backend.test"), transport: wrap(InProcessTransport(client: http)), auth: auth,
            resilience: Resilience(random: { 0 }), logger: .silent)
    }
}

/// Runs `body` with a backend that has `feature`, and removes it.
///
/// - Parameters:
///   - path: A database that stays. Default: a new one, which is removed.
///   - roles: What users may be. Default: members and administrators.
public func withBackend<Value: Sendable>(
    _ feature: some FeatureService, at path: String? = nil, roles: UserRoles = UserRoles(),
    _ body: @escaping @Sendable (InProcessBackend) async throws -> Value
) async throws -> Value {
    try await withBackend([feature], at: path, roles: roles, body)
}

/// Runs `body` with a backend that has `features`, and removes it.
///
/// - Parameters:
///   - path: A database that stays. Default: a new one, which is removed.
///   - roles: What users may be. Default: members and administrators.
public func withBackend<Value: Sendable>(
    _ features: [any FeatureService], at path: String? = nil, roles: UserRoles = UserRoles(),
    _ body: @escaping @Sendable (InProcessBackend) async throws -> Value
) async throws -> Value {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let store = try await StoreEngine.chosen.open(path ?? directory.file("data.db"))
    return try await withBackend(features, on: store, roles: roles, body)
}

/// Runs `body` with a backend that has `features` on `store`, and closes the store.
public func withBackend<Value: Sendable>(
    _ features: [any FeatureService], on store: any Store, roles: UserRoles = UserRoles(),
    _ body: @escaping @Sendable (InProcessBackend) async throws -> Value
) async throws -> Value {
    let clock = ManualWallClock()
    let service = try ServiceApplication(
        features: features, store: store, authenticator: NamesAreTokens(roles: roles), wallClock: clock,
        logger: .silent)
    try await service.prepare()
    let value = try await service.application().test(.router) { client in
        try await body(InProcessBackend(clock: clock, store: store, service: service, http: client))
    }
    try await StoreEngine.close(store)
    return value
}

/// Every bearer token is the user of that name, `admin-ada` is ada as an administrator, `viewer-ada` ada with a role of the backend; every
/// API key is the machine of that name. What a client sends is longer than the name: it hides its token wherever a server repeats it, and
/// `ada` is in some UUIDs.
private struct NamesAreTokens: Authenticator {
    let roles: UserRoles

    func principal(bearer token: String) async throws -> Principal {
        let token = token.trimmingPrefix("token-of-")
        let found = roles.names.filter { token.hasPrefix("\($0)-") }.max { $0.count < $1.count }
        let role = token == "admin" ? "admin" : found ?? "member"
        let name = String(token.trimmingPrefix("\(role)-"))
        return .user(.init(id: name, username: name, role: roles[role], sessionId: "s-\(token)"))
    }

    func principal(apiKey: String) async throws -> Principal {
        .host(tokenId: apiKey, name: String(apiKey.trimmingPrefix("key of ")))
    }
}
