import AttachmentsService
import Configuration
import FoundationEssentials
import Logging
import StrataDomain
import StrataService

/// The settings of the backend: a flag wins over the environment, the environment over the file, the file over the default.
struct Settings: Sendable, Equatable {
    enum Environment: String, Sendable, CaseIterable {
        case development, production
    }

    enum LogFormat: String, Sendable, CaseIterable {
        case text, json
    }

    enum Docs: String, Sendable, CaseIterable {
        case on, off
    }

    let host: String
    /// 0 selects a free port.
    let port: Int
    let database: DatabaseAddress
    let environment: Environment
    /// Unchecked; `SigningSecret` checks it.
    let signingSecret: Secret?
    let accessTokenSeconds: Int
    let refreshTokenSeconds: Int
    // scaffold:only Attachments
    /// The directory of attachments. Default: next to an embedded database; with PostgreSQL `nil`, and they are in the database.
    let attachmentDirectory: String?
    /// Largest attachment in bytes.
    let attachmentBytes: Int
    // scaffold:end-only
    let logLevel: Logger.Level
    let logFormat: LogFormat
    /// The URL that clients use; `nil` for the address it listens on.
    let publicURL: PublicURL?
    let trustedProxies: TrustedProxies
    /// Whether the page at `/docs` is served.
    let docs: Docs
    /// Name and colours of the pages.
    let pages: PageStyle

    /// - Parameters:
    ///   - flags: By setting, `http.port`.
    ///   - environment: The process's variables; an empty one counts as not set.
    /// - Throws: `SettingsError` naming the value and what to write instead.
    init(flags: [Setting: String] = [:], configFile: String? = nil, environment: [String: String]) throws {
        let environment = environment.filter { !$0.value.isEmpty }
        let file = try (configFile ?? environment["SHIFTLOG_CONFIG_FILE"]).map(SettingsFile.values) ?? [:]
        let values = SettingsReader(
            ConfigReader(providers: [
                InMemoryProvider(name: "flags", values: SettingsReader.values(flags)),
                EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "shiftlog"),
                InMemoryProvider(name: "file", values: SettingsReader.values(file)),
            ]))
        host = try values.host()
        port = try values.integer(.port, in: 0...65_535) ?? 8080
        database =
            try values.text(.database).map(DatabaseAddress.init) ?? DatabaseAddress.standard(environment)
        self.environment = try values.choice(.environment) ?? .production
        signingSecret = values.text(.signingSecret).map { Secret($0) }
        accessTokenSeconds = try values.integer(.accessTokenSeconds, in: 1...86_400) ?? 900
        refreshTokenSeconds = try values.integer(.refreshTokenSeconds, in: 1...315_360_000) ?? 30 * 86_400
        // scaffold:only Attachments
        attachmentDirectory = values.text(.attachmentDirectory) ?? database.file.map { "\($0).attachments" }
        attachmentBytes =
            try values.integer(.attachmentBytes, in: 1...1_099_511_627_776) ?? AttachmentsService.standardLimit
        // scaffold:end-only
        logLevel = try values.choice(.logLevel) ?? .info
        logFormat = try values.choice(.logFormat) ?? .text
        publicURL = try values.publicURL()
        trustedProxies = try values.trustedProxies()
        docs = try values.choice(.docs) ?? .on
        pages = try values.pages()
    }
}

// scaffold:only Attachments
extension Settings {
    /// The contents of attachments: files, or tables of `store`.
    func blobs(in store: any Store) -> any BlobStore {
        if let attachmentDirectory { BlobDirectory(path: attachmentDirectory) } else { BlobTables(in: store) }
    }
}

// scaffold:end-only
/// The names of the settings in the file; the environment variable is the same in upper case after `SHIFTLOG_`.
enum Setting: String, Sendable, CaseIterable {
    case host = "http.host"
    case port = "http.port"
    case database
    case environment
    case signingSecret = "signing_secret"
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
    case docs
    case pageName = "page.name"
    case pageColors = "page.colors"

    /// Its environment variable.
    var variable: String { "SHIFTLOG_" + rawValue.map { $0 == "." ? "_" : $0.uppercased() }.joined() }

    /// Its default and a description, for the help.
    var summary: String {
        switch self {
        case .host: "127.0.0.1; --host"
        case .port: "8080, 0 takes a free one; --port"
        case .database: "sqlite:PATH, see below, or postgres://USER@HOST/NAME; --database"
        case .environment: "production"
        case .signingSecret: "none; 'new-secret' writes one"
        case .accessTokenSeconds: "900"
        case .refreshTokenSeconds: "2592000"
        // scaffold:only Attachments
        case .attachmentDirectory: "the database's path and '.attachments'; with PostgreSQL the database"
        case .attachmentBytes: "104857600; the largest file"
        // scaffold:end-only
        case .logLevel: "info"
        case .logFormat: "text; json writes an object a line"
        case .publicURL: "the listening address; https://HOST, issuer of tokens and only host that is answered"
        case .docs: "on; off takes the page /docs away"
        case .pageName: "shiftlog; the name on the pages /docs and /device"
        case .pageColors: "#0b57d0,#8ab4f8; the colour of buttons on light pages, on dark pages"
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
            default: ""
            }
        return "\(rawValue) (\(flag)\(variable))"
    }
}

/// An invalid setting, with its value and what to write instead.
struct SettingsError: Error, Equatable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
