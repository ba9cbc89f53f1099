/// The names of the settings in the file; the environment variable is the same in upper case after `SHIFTLOG_`.
enum Setting: String, Sendable, CaseIterable {
    case host = "http.host"
    case port = "http.port"
    case database
    case environment
    case signingSecret = "signing_secret"
    case previousSigningSecrets = "previous_signing_secrets"
    case accessTokenSeconds = "access_token_seconds"
    case refreshTokenSeconds = "refresh_token_seconds"
    // scaffold:only Attachments
    case attachmentDirectory = "attachment_directory"
    case attachmentBytes = "attachment_bytes"
    // scaffold:end-only
    case logLevel = "log_level"
    case logFormat = "log_format"
    case publicURL = "public_url"
    case trustedProxies = "trusted_proxies"
    case corsOrigins = "cors_origins"
    case docs
    case pageName = "page.name"
    case pageColors = "page.colors"
    case mailFrom = "mail_from"
    case rateUser = "rate.user"
    case rateHost = "rate.host"
    case rateReads = "rate.reads"
    case rateAddress = "rate.address"
    case rateKeys = "rate.keys"
    case rateLogins = "rate.logins"
    case loginFailures = "login.failures"
    case loginWindowSeconds = "login.window_seconds"
    case passwordLogin = "password_login"
    case passwordCost = "password_cost"
    case oidcIssuer = "oidc.issuer"
    case oidcClientId = "oidc.client_id"
    case oidcClientSecret = "oidc.client_secret"
    case oidcName = "oidc.name"
    case oidcAccounts = "oidc.accounts"
    case sessions
    case connections
    case connectionsPerAddress = "connections_per_address"
    case transfers
    case bodyBytes = "body_bytes"

    /// Its environment variable.
    var variable: String { "SHIFTLOG_" + rawValue.map { $0 == "." ? "_" : $0.uppercased() }.joined() }

    /// Whether the value may be shown.
    var isSecret: Bool { [.signingSecret, .previousSigningSecrets, .oidcClientSecret].contains(self) }

    /// Its default and a description, for the help.
    var summary: String {
        switch self {
        case .host: "127.0.0.1; --host"
        case .port: "8080, 0 takes a free one; --port"
        case .database: "sqlite:PATH, see below, or postgres://USER@HOST/NAME; --database"
        case .environment: "production"
        case .signingSecret: "none; 'new-secret' writes one"
        case .previousSigningSecrets: "none; secrets whose tokens are accepted during a rotation, A,B"
        case .accessTokenSeconds: "900"
        case .refreshTokenSeconds: "2592000"
        // scaffold:only Attachments
        case .attachmentDirectory: "the database's path and '.attachments'; with PostgreSQL the database"
        case .attachmentBytes: "104857600; the largest file"
        // scaffold:end-only
        case .logLevel: "info"
        case .logFormat: "text; json writes an object a line"
        case .publicURL: "the listening address; https://HOST, issuer of tokens and only host that is answered"
        case .corsOrigins:
            "none; origins whose pages may call this server, with commas between them, or *; --cors-origins"
        case .docs: "on; off takes the page /docs away"
        case .pageName: "shiftlog; the name on the pages for browsers, and in mails"
        case .pageColors: "#0b57d0,#8ab4f8; the colour of buttons on light pages, on dark pages"
        case .mailFrom: "none; the sender of mails, which lets users reset their passwords; needs sendmail"
        case .rateUser: "3000,300; writes of a user at once, and a second in the long run"
        case .rateHost: "1000,100; writes of a host token, likewise"
        case .rateReads: "60000,20000; reads of a user or a host token"
        case .rateAddress: "2000,200; requests of an address without valid credentials"
        case .rateKeys: "100000,5; new idempotency keys of a user or a host token"
        case .rateLogins: "60,4; logins of a user name from an address"
        case .loginFailures: "10; failed logins of a user name from an address, in the window"
        case .loginWindowSeconds: "900; the window of failed logins"
        case .passwordLogin: "on; off refuses every login with a password"
        case .passwordCost: "15; log2 of scrypt's N: 32 MiB a hash; 17 takes 128 MiB, 10 is for tests"
        case .oidcIssuer: "none; https://HOST of the OpenID provider at which users may sign in"
        case .oidcClientId: "none; the id of this service there"
        case .oidcClientSecret: "none; the secret of this service there"
        case .oidcName: "the host of the issuer; the provider's name on pages"
        case .oidcAccounts: "link; create makes a member at the first sign-in of a user that no account is linked to"
        case .sessions: "50; of a user"
        case .connections: "4096"
        case .connectionsPerAddress: "256; at most half of the connections"
        case .transfers: "32; concurrent transfers of a user or a host token"
        case .bodyBytes: "1048576; the largest request body"
        case .trustedProxies: "none; addresses and CIDR blocks whose Forwarded and X-Forwarded-* are believed"
        }
    }

    /// The setting's name in an error.
    var title: String {
        let flag =
            switch self {
            case .host: "--host, "
            case .port: "--port, "
            case .database: "--database, "
            case .corsOrigins: "--cors-origins, "
            default: ""
            }
        return "\(rawValue) (\(flag)\(variable))"
    }
}
