import AccountsService
import AttachmentsService
import JournalService
import Logging
import RunbooksService
import StrataDomain
import StrataService

/// The one place where the objects of the backend meet.
struct Backend: Sendable {
    let accounts: AccountsService
    // scaffold:only Attachments
    let attachments: AttachmentsService
    // scaffold:end-only
    let service: ServiceApplication

    /// - Parameters:
    ///   - secret: Signs access tokens.
    ///   - onListening: Called with the port once requests are answered.
    init(
        _ settings: Settings, store: any Store, secret: Secret, logger: Logger = Logger(label: "shiftlog-server"),
        onListening: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws {
        let metrics = PrometheusRegistry(prefix: "shiftlog_")
        let keys = try SigningKeys(secret: secret)
        accounts = AccountsService(
            store: store, keys: keys,
            accessTokens: try await AccessTokens(
                keys: keys, issuer: "shiftlog", audience: "shiftlog", lifetimeSeconds: settings.accessTokenSeconds),
            refreshTokens: RefreshTokens(
                store: store, lifetimeSeconds: settings.refreshTokenSeconds, metrics: metrics, logger: logger),
            // Two hashes at a time: each takes a core for a tenth of a second, and 32 MiB.
            hasher: PasswordHasher(pool: BlockingPool(threads: 2, queueLimit: 64)))
        // scaffold:only Attachments
        attachments = AttachmentsService(
            directory: settings.attachmentDirectory, limit: settings.attachmentBytes)
        // scaffold:end-only
        service = try ServiceApplication(
            features: [
                accounts,
                // scaffold:only Runbooks
                RunbooksService(),
                // scaffold:end-only
                // scaffold:only Journal
                JournalService(),
                // scaffold:end-only
                // scaffold:only Attachments
                attachments,
                // scaffold:end-only
            ], store: store,
            authenticator: accounts,
            options: ServiceOptions(host: settings.host, port: settings.port, name: "shiftlog-server"),
            metrics: metrics, logger: logger, onListening: onListening)
    }

    /// For commands that work on the database only: no token is issued or accepted.
    init(offline settings: Settings, store: any Store) async throws {
        try await self.init(settings, store: store, secret: SigningSecret.new())
    }
}
