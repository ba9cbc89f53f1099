import StrataNetworking
import StrataSystem
import StrataTerminal

/// The settings of a run: a flag wins over the environment, the environment over `config.json`, the file over the default.
public struct Settings: Sendable {
    let program: ClientProgram
    /// Base URL of the backend. Default: the program's `defaultServer`.
    let server: HTTPURL
    /// Separates tokens, local data and cache of several accounts. Default `default`.
    let profile: String
    /// Total time limit of a call: with `--timeout` a little less than that of the whole command, so that a stored copy can
    /// still be shown. Default 30 s.
    let deadline: Duration
    /// Total time limit of a file transfer. Default: by its size.
    public let transferDeadline: Duration?
    /// Whether `--offline` forbids every request.
    public let isOffline: Bool
    /// Where a login stores the tokens. Default `auto`.
    let tokenStore: TokenStoreSetting
    /// Path of a PEM file with certificate authorities that are trusted in addition to those of the system.
    let caFile: String?
    let paths: ProgramPaths
    let file: SettingsFile
    /// The environment, of which subprocesses get a part.
    let environment: [String: String]

    init(
        _ program: ClientProgram, _ options: GlobalOptions, environment: [String: String]
    ) throws(CommandFailure) {
        func variable(_ setting: String) -> String? { environment[program.variable(setting)] }
        paths = try ProgramPaths(program: program.name, environment: environment)
        self.program = program
        self.environment = environment
        file = try SettingsFile(
            in: paths, names: ["server", "profile", "token_store", "ca_file"], perProfile: ["server"])
        profile = try ProfileName.checked(
            options.profile ?? variable("PROFILE") ?? file["profile"] ?? "default")
        let address =
            options.server ?? variable("SERVER") ?? file["server"] ?? file["server", profile: profile]
            ?? program.defaultServer
        server = try Self.server(address)
        transferDeadline = options.deadline.map { $0 - min($0 / 10, .milliseconds(500)) }
        deadline = transferDeadline ?? .seconds(30)
        isOffline = options.offline
        let store = variable("TOKEN_STORE") ?? file["token_store"] ?? TokenStoreSetting.auto.rawValue
        tokenStore = try TokenStoreSetting.named(store)
        caFile = variable("CA_FILE").flatMap { $0.isEmpty ? nil : $0 } ?? file["ca_file"]
    }
}

extension Settings {
    private static func server(_ address: String) throws(CommandFailure) -> HTTPURL {
        do { return try HTTPURL(address) } catch {
            throw CommandFailure(.usage, "The server address is not usable: \(error)")
        }
    }

    /// For `config`.
    var config: ConfigTools {
        ConfigTools(
            file,
            meanings: [
                "server": "Address of the server (default: \(program.defaultServer)).",
                "profile": "Profile of commands without --profile (default: default).",
                "token_store": "Where a login stores the tokens: auto, file or secret-service (default: auto).",
                "ca_file": "PEM file with further certificate authorities (default: none).",
            ]
        ) { name, value in
            switch name {
            case "server": _ = try Self.server(value)
            case "profile": _ = try ProfileName.checked(value)
            case "token_store": _ = try TokenStoreSetting.named(value)
            default: break
            }
        }
    }
}

/// The value of `TIDES_TOKEN_STORE`: where a login stores the tokens.
enum TokenStoreSetting: String, CaseIterable, Sendable {
    /// The keyring if it is reachable, otherwise the file.
    case auto
    case file
    case secretService = "secret-service"

    static func named(_ name: String) throws(CommandFailure) -> TokenStoreSetting {
        guard let setting = TokenStoreSetting(rawValue: name) else {
            let known = allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(.usage, "The token store '\(name)' is not known; write one of: \(known).")
        }
        return setting
    }
}
