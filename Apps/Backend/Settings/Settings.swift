import AccountsService
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
    /// Secrets that signed before; their tokens are accepted.
    let previousSigningSecrets: [Secret]
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
    /// Whose pages may call the server and read its responses.
    let corsOrigins: CORSOrigins
    /// Whether the page at `/docs` is served.
    let docs: Docs
    /// Name and colours of the pages.
    let pages: PageStyle
    /// The sender of mails; `nil` sends none.
    let mailFrom: MailAddress?
    /// Connections, transfers, bodies and rates.
    let limits: ServiceLimits
    let logins: LoginSettings
    /// The settings as they were given, for the page of administration; without secrets, and without the database, whose
    /// address may have a password.
    let given: [Setting: String]
    /// The OpenID provider at which users may sign in; `nil` for none.
    let openID: OpenIDOptions?

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
        previousSigningSecrets = try values.secrets(.previousSigningSecrets)
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
        trustedProxies = try values.parsed(.trustedProxies, TrustedProxies.init(_:)) ?? .none
        corsOrigins = try values.parsed(.corsOrigins, CORSOrigins.init(_:)) ?? .none
        docs = try values.choice(.docs) ?? .on
        pages = try values.pages()
        mailFrom = try values.mailFrom()
        limits = try values.limits()
        logins = try values.logins()
        openID = try values.openID()
        given = Dictionary(
            uniqueKeysWithValues: Setting.allCases.compactMap { setting in
                guard !setting.isSecret, setting != .database else { return nil }
                return values.text(setting).map { (setting, $0) }
            })
    }

    /// What the page of administration shows of them.
    var shown: [Administration.Setting] {
        Setting.allCases.filter { !$0.isSecret && $0 != .database }.map {
            Administration.Setting(name: $0.variable, value: given[$0] ?? "", meaning: $0.summary)
        }
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
/// An invalid setting, with its value and what to write instead.
struct SettingsError: Error, Equatable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
