import Configuration
import StrataNetworking
import StrataTerminal
import SystemPackage

/// What one run is told: flags first, then environment, then `config.json`, then defaults.
struct Settings: Sendable {
    /// Base URL of the backend. Default `http://127.0.0.1:8080`.
    let server: HTTPURL
    /// Keeps tokens, local data and cache of several accounts apart. Default `default`.
    let profile: String
    /// Total time for one call. Default 30 s.
    let deadline: Duration
    /// Total time for one transfer of a file. Default: by its size.
    let transferDeadline: Duration?
    let isOffline: Bool
    /// Where a login puts the tokens. Default `auto`.
    let tokenStore: TokenPlaceChoice
    let paths: Paths
    /// What programs that are started get a part of.
    let environment: [String: String]

    init(_ options: GlobalOptions, environment: [String: String]) async throws(SettingsError) {
        paths = try Paths(environment: environment)
        self.environment = environment
        let file = try await Self.file("\(paths.config)/config.json")
        profile = try Self.checkedProfile(
            options.profile ?? environment["SHIFTLOG_PROFILE"] ?? file?.string(forKey: "profile") ?? "default")
        server = try Self.checkedServer(
            options.server ?? environment["SHIFTLOG_SERVER"] ?? file?.string(forKey: "server")
                ?? file?.string(forKey: ConfigKey(["profiles", profile, "server"]))
                ?? "http://127.0.0.1:8080")
        deadline = options.deadline ?? .seconds(30)
        transferDeadline = options.deadline
        isOffline = options.offline
        tokenStore = try TokenPlaceChoice(
            setting: environment["SHIFTLOG_TOKEN_STORE"] ?? file?.string(forKey: "token_store"))
    }

    /// - Returns: `nil` where there is no file, as in most homes.
    private static func file(_ path: String) async throws(SettingsError) -> ConfigReader? {
        do throws(UnreadableFile) {
            guard try SmallFile(path: path).read() != nil else { return nil }
        } catch {
            throw SettingsError(
                "The settings file '\(path)' cannot be read: \(error). Correct its path and mode, or move it away.")
        }
        do {
            return ConfigReader(provider: try await FileProvider<JSONSnapshot>(filePath: FilePath(path)))
        } catch {
            throw SettingsError("The settings file '\(path)' is no JSON object; correct it, or move it away.")
        }
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

/// A setting that cannot be used, with the value and what to write instead.
struct SettingsError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
