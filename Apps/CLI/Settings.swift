import FoundationEssentials
import StrataNetworking
import StrataTerminal

/// The settings of a run: a flag wins over the environment, the environment over `config.json`, the file over the default.
struct Settings: Sendable {
    /// Base URL of the backend. Default `http://127.0.0.1:8080`.
    let server: HTTPURL
    /// Separates tokens, local data and cache of several accounts. Default `default`.
    let profile: String
    /// Total time limit of a call. Default 30 s.
    let deadline: Duration
    /// Total time limit of a file transfer. Default: by its size.
    let transferDeadline: Duration?
    let isOffline: Bool
    /// Where a login stores the tokens. Default `auto`.
    let tokenStore: TokenPlaceChoice
    /// Path of a PEM file with certificate authorities that are trusted in addition to those of the system.
    let caFile: String?
    let paths: Paths
    /// The environment, of which subprocesses get a part.
    let environment: [String: String]

    init(_ options: GlobalOptions, environment: [String: String]) throws(SettingsError) {
        paths = try Paths(environment: environment)
        self.environment = environment
        let file = try Self.file(in: paths)
        profile = try Self.checkedProfile(
            options.profile ?? environment["SHIFTLOG_PROFILE"] ?? file[.profile] ?? "default")
        server = try Self.checkedServer(
            options.server ?? environment["SHIFTLOG_SERVER"] ?? file[.server] ?? file.server(of: profile)
                ?? "http://127.0.0.1:8080")
        deadline = options.deadline ?? .seconds(30)
        transferDeadline = options.deadline
        isOffline = options.offline
        tokenStore = try TokenPlaceChoice(
            setting: environment["SHIFTLOG_TOKEN_STORE"] ?? file[.tokenStore])
        caFile = environment["SHIFTLOG_CA_FILE"].flatMap { $0.isEmpty ? nil : $0 } ?? file[.caFile]
    }

    private static func file(in paths: Paths) throws(SettingsError) -> SettingsFile {
        let path = "\(paths.config)/config.json"
        let bytes: Data?
        do { bytes = try SmallFile(path: path).read() } catch {
            if let fault = paths.homeFault { throw SettingsError(fault, .cannotWrite) }
            throw SettingsError(
                "The settings file '\(path)' cannot be read: \(error). Correct its path and mode, or move it away.",
                error.isForbidden ? .cannotWrite : .usage)
        }
        return try bytes.map { bytes throws(SettingsError) in try SettingsFile(bytes, path: path) } ?? SettingsFile()
    }

    private static func checkedProfile(_ name: String) throws(SettingsError) -> String {
        let isPlain = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || [0x2D, 0x2E, 0x5F].contains($0)
        }
        guard (1...64).contains(name.utf8.count), isPlain, !name.hasPrefix(".") else {
            throw SettingsError(
                "Profile '\(name)' must be 1 to 64 letters, digits, '.', '_' or '-', and not begin with a dot.")
        }
        return name
    }

    private static func checkedServer(_ address: String) throws(SettingsError) -> HTTPURL {
        do { return try HTTPURL(address) } catch { throw SettingsError("The server address is not usable: \(error)") }
    }
}

/// An invalid setting, with its value and what to write instead.
struct SettingsError: Error, CustomStringConvertible {
    let description: String
    /// The exit status: `.cannotWrite` for problems with files.
    let status: ExitStatus

    init(_ description: String, _ status: ExitStatus = .usage) {
        self.description = description
        self.status = status
    }
}
