import AccountsDomain
import FoundationEssentials
import Hummingbird
import HummingbirdTesting
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

/// The accounts feature on a database of its own, with one administrator, one member and one machine.
struct AccountsBackend: Sendable {
    static let password = Secret("a good password")
    static let cost = ScryptCost(rounds: 16, blockSize: 8, parallelism: 1) ?? .recommended
    static let issuer = "https://shiftlog.example"
    static let cookie = "__Host-shiftlog"

    let store: any Store
    let accounts: AccountsService
    let clock = ManualWallClock()
    let log = LogRecorder()
    let metrics = PrometheusRegistry(prefix: "shiftlog_")

    init(
        directory: String, allowsSignIn: Bool = true, mails: Bool = true, issuer: String = Self.issuer,
        administration: Administration = Administration(), openID: OpenIDProvider? = nil
    ) async throws {
        try await self.init(
            StoreEngine.chosen.open("\(directory)/accounts.db"), allowsSignIn: allowsSignIn, mails: mails,
            issuer: issuer, administration: administration, openID: openID)
    }

    /// - Parameter issuer: The URL that browsers use.
    init(
        _ store: any Store, allowsSignIn: Bool = true, mails: Bool = true, issuer: String = Self.issuer,
        administration: Administration = Administration(), openID: OpenIDProvider? = nil
    ) async throws {
        self.store = store
        let keys = try SigningKeys(secret: Secret("a signing secret for tests, 32 bytes and more"))
        accounts = AccountsService(
            store: store, keys: keys,
            accessTokens: try await AccessTokens(keys: keys, issuer: { issuer }, audience: "shiftlog"),
            refreshTokens: RefreshTokens(store: store, metrics: metrics, logger: log.logger()),
            hasher: PasswordHasher(cost: Self.cost, pool: BlockingPool(threads: 2, queueLimit: 1000)),
            throttle: LoginThrottle(
                keys: keys, attempts: RateLimit(burst: 250, perSecond: 0.5), clock: ManualClock()),
            events: LoginEvents(metrics: metrics, logger: log.logger()), clock: clock, allowsSignIn: allowsSignIn,
            administration: administration, mailFrom: mails ? try MailAddress("noreply@shiftlog.example") : nil,
            openID: openID)
    }

    /// A scope as the runtime hands it to a handler.
    func scope(_ principal: Principal? = nil, peer: String = "192.0.2.1") -> RequestScope {
        RequestScope(principal: principal, requestId: "test", now: clock.now, clientAddress: peer)
    }

    func rows(_ statement: Statement) async throws -> [StoreRow] {
        try await store.read { reader in try reader.rows(statement) }
    }
}

/// Starts the feature behind the whole runtime, without a socket, and takes everything away afterwards.
///
/// - Parameter features: What the backend has besides.
func withAccounts(
    allowsSignIn: Bool = true, mails: Bool = true, issuer: String = AccountsBackend.issuer,
    administration: Administration = Administration(), openID: OpenIDProvider? = nil,
    beside features: [any FeatureService] = [],
    _ body: @escaping @Sendable (AccountsBackend, AccountsClient) async throws -> Void
) async throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let backend = try await AccountsBackend(
        directory: directory.path, allowsSignIn: allowsSignIn, mails: mails, issuer: issuer,
        administration: administration, openID: openID)
    let service = try ServiceApplication(
        features: [backend.accounts] + features, store: backend.store, authenticator: backend.accounts,
        options: ServiceOptions(trustedProxies: try TrustedProxies("unix")), metrics: backend.metrics,
        wallClock: backend.clock, logger: backend.log.logger())
    try await service.prepare()
    try await backend.accounts.createUser(username: "root", role: .admin, password: AccountsBackend.password)
    try await backend.accounts.createUser(username: "ada", role: .member, password: AccountsBackend.password)
    try await service.application().test(.router) { client in
        try await body(backend, AccountsClient(client: client))
    }
    try await StoreEngine.close(backend.store)
}
