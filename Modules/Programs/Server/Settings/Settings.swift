import AccountsService
import Configuration
import FoundationEssentials
import Logging
public import StrataDomain
public import StrataService

/// The settings of the server: a flag wins over the environment, the environment over the file, the file over the default.
public struct Settings: Sendable, Equatable {
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
    /// Those of the program, by name.
    private let own: [String: Secret]
    let logLevel: Logger.Level
    let logFormat: LogFormat
    /// The URL that clients use; `nil` for the address it listens on.
    public let publicURL: PublicURL?
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
        try Self.checkNames()
        let program = ServerProgram.current
        let environment = environment.filter { !$0.value.isEmpty }
        let file = try (configFile ?? environment[program.variable("CONFIG_FILE")]).map(SettingsFile.values) ?? [:]
        let values = SettingsReader(
            ConfigReader(providers: [
                InMemoryProvider(name: "flags", values: SettingsReader.values(flags)),
                EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(
                    with: ConfigKey(program.client)),
                InMemoryProvider(name: "file", values: SettingsReader.values(file)),
            ]))
        host = try values.host()
        port = try values.integer(.port, in: 0...65_535) ?? program.port
        database =
            try values.text(.database).map(DatabaseAddress.init) ?? DatabaseAddress.standard(environment)
        self.environment = try values.choice(.environment) ?? .production
        signingSecret = values.text(.signingSecret).map { Secret($0) }
        previousSigningSecrets = try values.secrets(.previousSigningSecrets)
        accessTokenSeconds = try values.integer(.accessTokenSeconds, in: 1...86_400) ?? 900
        refreshTokenSeconds = try values.integer(.refreshTokenSeconds, in: 1...315_360_000) ?? 30 * 86_400
        own = try values.own()
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
            uniqueKeysWithValues: Setting.all.compactMap { setting in
                guard !setting.isSecret, setting != .database else { return nil }
                return values.text(setting).map { (setting, $0) }
            })
    }

    /// What the page of administration shows of them.
    var shown: [Administration.Setting] {
        Setting.all.filter { !$0.isSecret && $0 != .database }.map {
            Administration.Setting(name: $0.variable, value: given[$0] ?? "", meaning: $0.summary)
        }
    }
}

extension Settings {
    /// The value of a setting in the list of `ServerProgram`; `nil` when it has none.
    public func text(_ setting: Setting) -> String? { secret(setting)?.reveal() }

    /// The number of a setting with a range; `nil` when it has none.
    public func number(_ setting: Setting) -> Int? { text(setting).flatMap { Int($0) } }

    /// The value of a secret setting, which no log shows; `nil` when it has none.
    public func secret(_ setting: Setting) -> Secret? { own[setting.name] }

    /// The path of an embedded database; `nil` with PostgreSQL.
    public var databaseFile: String? { database.file }

    /// - Throws: `SettingsError` when two settings have the same variable: one of them would have no effect.
    private static func checkNames() throws(SettingsError) {
        var names: [String: String] = [:]
        for setting in Setting.all {
            if let other = names.updateValue(setting.name, forKey: setting.variable) {
                throw SettingsError(
                    "The settings '\(other)' and '\(setting.name)' of this program have the same variable \(setting.variable); "
                        + "give one another name.")
            }
        }
    }
}

/// An invalid setting, with its value and what to write instead. It ends the program with status 64.
public struct SettingsError: Error, Equatable, CustomStringConvertible {
    public let description: String

    /// - Parameter description: One sentence, without a secret; `Setting.title` names the setting.
    public init(_ description: String) { self.description = description }
}
