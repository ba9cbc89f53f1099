/// The settings that every server has.
extension Setting {
    /// Those of the current program, in the order of the help; its own stand between the tokens and the log.
    static var all: [Setting] { first + ServerProgram.current.settings + last }

    private static var first: [Setting] {
        [
            .host, .port, .database, .environment, .signingSecret, .previousSigningSecrets,
            .accessTokenSeconds, .refreshTokenSeconds,
        ]
    }

    private static var last: [Setting] {
        [
            .logLevel, .logFormat, .publicURL, .trustedProxies, .corsOrigins, .docs, .pageName,
            .pageColors, .mailFrom, .rateUser, .rateHost, .rateReads, .rateAddress, .rateKeys,
            .rateLogins, .loginFailures, .loginWindowSeconds, .passwordLogin, .passwordCost,
            .oidcIssuer, .oidcClientId, .oidcClientSecret, .oidcName, .oidcAccounts, .sessions,
            .connections, .connectionsPerAddress, .transfers, .bodyBytes,
        ]
    }

    static let host = Setting("http.host", "127.0.0.1; --host", flag: "host")
    static var port: Setting {
        Setting("http.port", "\(ServerProgram.current.port), 0 takes a free one; --port", flag: "port")
    }
    static let database = Setting(
        "database", "sqlite:PATH, see below, or postgres://USER@HOST/NAME; --database", flag: "database")
    static let environment = Setting("environment", "production")
    static let signingSecret = Setting("signing_secret", "none; 'new-secret' writes one", isSecret: true)
    static let previousSigningSecrets = Setting(
        "previous_signing_secrets", "none; secrets whose tokens are accepted during a rotation, A,B", isSecret: true)
    static let accessTokenSeconds = Setting("access_token_seconds", "900")
    static let refreshTokenSeconds = Setting("refresh_token_seconds", "2592000")
    static let logLevel = Setting("log_level", "info")
    static let logFormat = Setting("log_format", "text; json writes an object a line")
    static let publicURL = Setting(
        "public_url", "the listening address; https://HOST, issuer of tokens and only host that is answered")
    static let trustedProxies = Setting(
        "trusted_proxies", "none; addresses and CIDR blocks whose Forwarded and X-Forwarded-* are believed")
    static let corsOrigins = Setting(
        "cors_origins",
        "none; origins whose pages may call this server, with commas between them, or *; --cors-origins",
        flag: "cors-origins")
    static let docs = Setting("docs", "on; off takes the page /docs away")
    static var pageName: Setting {
        Setting("page.name", "\(ServerProgram.current.client); the name on the pages for browsers, and in mails")
    }
    static let pageColors = Setting(
        "page.colors", "#0b57d0,#8ab4f8; the colour of buttons on light pages, on dark pages")
    static let mailFrom = Setting(
        "mail_from", "none; the sender of mails, which lets users reset their passwords; needs sendmail")
    static let rateUser = Setting("rate.user", "3000,300; writes of a user at once, and a second in the long run")
    static let rateHost = Setting("rate.host", "1000,100; writes of a host token, likewise")
    static let rateReads = Setting("rate.reads", "60000,20000; reads of a user or a host token")
    static let rateAddress = Setting("rate.address", "2000,200; requests of an address without valid credentials")
    static let rateKeys = Setting("rate.keys", "100000,5; new idempotency keys of a user or a host token")
    static let rateLogins = Setting("rate.logins", "60,4; logins of a user name from an address")
    static let loginFailures = Setting(
        "login.failures", "10; failed logins of a user name from an address, in the window")
    static let loginWindowSeconds = Setting("login.window_seconds", "900; the window of failed logins")
    static let passwordLogin = Setting("password_login", "on; off refuses every login with a password")
    static let passwordCost = Setting(
        "password_cost", "15; log2 of scrypt's N: 32 MiB a hash; 17 takes 128 MiB, 10 is for tests")
    static let oidcIssuer = Setting(
        "oidc.issuer", "none; https://HOST of the OpenID provider at which users may sign in")
    static let oidcClientId = Setting("oidc.client_id", "none; the id of this service there")
    static let oidcClientSecret = Setting(
        "oidc.client_secret", "none; the secret of this service there", isSecret: true)
    static let oidcName = Setting("oidc.name", "the host of the issuer; the provider's name on pages")
    static let oidcAccounts = Setting(
        "oidc.accounts",
        "the rule of the program, else link; create makes a member at the first sign-in of a user that no account is linked to"
    )
    static let sessions = Setting("sessions", "50; of a user")
    static let connections = Setting("connections", "4096")
    static let connectionsPerAddress = Setting("connections_per_address", "256; at most half of the connections")
    static let transfers = Setting("transfers", "32; concurrent transfers of a user or a host token")
    static let bodyBytes = Setting("body_bytes", "1048576; the largest request body")
}
