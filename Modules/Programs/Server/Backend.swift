import AccountsService
import Logging
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataService

/// Connects the objects of the backend.
struct Backend: Sendable {
    let accounts: AccountsService
    let service: ServiceApplication
    private let features: [any FeatureService]

    /// - Parameters:
    ///   - secret: Signs access tokens.
    ///   - logger: Of all subsystems. Default: each has its own: `tides-server.auth`, and those of `ServiceApplication`.
    ///   - supervision: The service manager that started the program, if any.
    ///   - onListening: Called with the port when requests are accepted.
    init(
        _ settings: Settings, store: any Store, secret: Secret, logger: Logger? = nil,
        supervision: Supervision? = nil, onListening: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws {
        let program = ServerProgram.current
        let metrics = PrometheusRegistry(prefix: program.metricPrefix)
        program.metrics(metrics)
        let address = ServiceAddress(publicURL: settings.publicURL, host: settings.host, port: settings.port)
        let keys = try SigningKeys(secret: secret, previous: settings.previousSigningSecrets)
        let own = try program.features(settings, store)
        let authLogger = logger ?? program.logger("auth")
        accounts = AccountsService(
            store: store, keys: keys,
            accessTokens: try await AccessTokens(
                keys: keys, issuer: { address.url }, audience: program.client,
                lifetimeSeconds: settings.accessTokenSeconds),
            refreshTokens: RefreshTokens(
                store: store, lifetimeSeconds: settings.refreshTokenSeconds, sessionLimit: settings.logins.sessions,
                metrics: metrics, logger: authLogger),
            // Two hashes at a time: each takes a core for a tenth of a second, and 32 MiB at the default cost. Client addresses take turns.
            hasher: PasswordHasher(
                cost: settings.logins.passwordCost, pool: BlockingPool(threads: 2, queueLimit: 256)),
            throttle: LoginThrottle(
                keys: keys, failures: settings.logins.failures, window: Double(settings.logins.windowSeconds),
                attempts: settings.logins.rate),
            events: LoginEvents(metrics: metrics, logger: authLogger),
            allowsSignIn: settings.logins.passwordLogin == .on, roles: program.roles, pages: settings.pages,
            administration: Administration(tables: own.flatMap(\.administered), settings: settings.shown),
            mailFrom: settings.mailFrom, openID: try Self.provider(settings, program.openID))
        features = [accounts] + own
        service = try ServiceApplication(
            features: features, store: store, authenticator: accounts,
            jobs: accounts.jobs(program.mailer) + program.jobs(settings, store),
            options: ServiceOptions(
                host: settings.host, port: settings.port, limits: settings.limits, name: program.name,
                version: program.release, showsViewer: settings.docs == .on,
                pages: settings.pages, supervision: supervision,
                address: address, trustedProxies: settings.trustedProxies, corsOrigins: settings.corsOrigins),
            metrics: metrics, logger: logger, onListening: onListening)
    }

    /// The OpenID provider of the settings, at any address: the owner chose it.
    static func provider(_ settings: Settings, _ rule: OpenIDRule?) throws -> OpenIDProvider? {
        try settings.openID.map { options in
            OpenIDProvider(
                options,
                client: try HTTPAPIClient.outgoing(
                    allowsPrivateAddresses: true, redaction: Redaction(alsoRedacting: ["code", "state"])),
                rule: rule)
        }
    }

    /// What rows refer to outside of their tables.
    var contents: [FeatureContents] { features.compactMap(\.contents) }

    /// The directories of contents that are files.
    var directories: [String] { contents.compactMap(\.directory) }

    /// Migrates the database, and lets each feature create its folders.
    func prepare() async throws {
        try await service.prepare()
        for feature in features { try await feature.prepare() }
    }

    /// For commands that only use the database: no token is issued or accepted.
    init(offline settings: Settings, store: any Store) async throws {
        try await self.init(settings, store: store, secret: SigningSecret.new())
    }
}
