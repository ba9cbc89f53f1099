import AttachmentsService
import Configuration
import FoundationEssentials
import Logging
import StrataDomain
import StrataSQLite

/// What the backend is told: flags first, then environment, then file, then defaults.
struct Settings: Sendable, Equatable {
    enum Environment: String, Sendable, CaseIterable {
        case development, production
    }

    let host: String
    /// 0 takes a free one.
    let port: Int
    let database: SQLiteLocation
    let environment: Environment
    /// As it was given; `SigningSecret` decides whether it will do.
    let signingSecret: Secret?
    let accessTokenSeconds: Int
    let refreshTokenSeconds: Int
    /// Where the files of attachments are. Default: beside the database.
    let attachmentDirectory: String
    /// Largest attachment in bytes.
    let attachmentBytes: Int
    let logLevel: Logger.Level

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
            try values.text(.database).map(DatabaseAddress.location) ?? DatabaseAddress.standard(environment)
        self.environment = try values.choice(.environment) ?? .production
        signingSecret = values.text(.signingSecret).map { Secret($0) }
        accessTokenSeconds = try values.integer(.accessTokenSeconds, in: 1...86_400) ?? 900
        refreshTokenSeconds = try values.integer(.refreshTokenSeconds, in: 1...315_360_000) ?? 30 * 86_400
        attachmentDirectory = values.text(.attachmentDirectory) ?? "\(database.path).attachments"
        attachmentBytes =
            try values.integer(.attachmentBytes, in: 1...1_099_511_627_776) ?? AttachmentsService.standardLimit
        logLevel = try values.choice(.logLevel) ?? .info
    }
}

/// The names of the settings, as in the file; an environment variable is the same in capitals behind `SHIFTLOG_`.
enum Setting: String, Sendable, CaseIterable {
    case host = "http.host"
    case port = "http.port"
    case database
    case environment
    case signingSecret = "signing_secret"
    case accessTokenSeconds = "access_token_seconds"
    case refreshTokenSeconds = "refresh_token_seconds"
    case attachmentDirectory = "attachment_directory"
    case attachmentBytes = "attachment_bytes"
    case logLevel = "log_level"

    /// The setting as an error names it, wherever its value came from.
    var title: String {
        let variable = "SHIFTLOG_" + rawValue.map { $0 == "." ? "_" : $0.uppercased() }.joined()
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

/// A setting that cannot be used, with its value and what to write instead.
struct SettingsError: Error, Equatable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
