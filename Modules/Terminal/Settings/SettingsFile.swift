import FoundationEssentials
import StrataDomain

/// `config.json`: a JSON object with the settings; `profiles` contains an object for each profile.
struct SettingsFile: Sendable {
    /// A setting of the file; its environment variable is the same in upper case after `SHIFTLOG_`.
    enum Setting: String, CaseIterable {
        case server, profile
        case tokenStore = "token_store"
        case caFile = "ca_file"
    }

    private var values: [Setting: String] = [:]
    /// By profile.
    private var servers: [String: String] = [:]

    subscript(setting: Setting) -> String? { values[setting] }

    func server(of profile: String) -> String? { servers[profile] }

    /// An empty file.
    init() {}

    /// - Throws: `SettingsError` for anything but a JSON object, an unknown name, or a value that is no string: a
    ///   misspelt setting would otherwise have no effect.
    init(_ bytes: Data, path: String) throws(SettingsError) {
        guard let object = try? WireJSON.decode(JSONValue.self, from: bytes).object else {
            throw SettingsError("The settings file '\(path)' is no JSON object; correct it, or move it away.")
        }
        for (name, value) in object.sorted(by: { $0.key < $1.key }) {
            if name == Self.profiles {
                servers = try Self.servers(value, path)
            } else if let setting = Setting(rawValue: name) {
                values[setting] = try Self.text(value, name, path)
            } else {
                let known = (Setting.allCases.map(\.rawValue) + [Self.profiles]).joined(separator: ", ")
                throw Self.unknown(name, path, known: known)
            }
        }
    }

    private static let profiles = "profiles"

    private static func servers(_ value: JSONValue, _ path: String) throws(SettingsError) -> [String: String] {
        guard let profiles = value.object else {
            throw SettingsError(
                "The settings file '\(path)' has no object for 'profiles'; write {\"NAME\": {\"server\": \"URL\"}}.")
        }
        var servers: [String: String] = [:]
        for (profile, value) in profiles.sorted(by: { $0.key < $1.key }) {
            guard let members = value.object else {
                throw SettingsError(
                    "The settings file '\(path)' has no object for 'profiles.\(profile)'; write {\"server\": \"URL\"}.")
            }
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                guard name == Setting.server.rawValue else {
                    throw unknown("profiles.\(profile).\(name)", path, known: Setting.server.rawValue)
                }
                servers[profile] = try text(value, "profiles.\(profile).\(name)", path)
            }
        }
        return servers
    }

    private static func text(_ value: JSONValue, _ name: String, _ path: String) throws(SettingsError) -> String {
        guard case .string(let text) = value else {
            throw SettingsError("The settings file '\(path)' has no text for '\(name)'; write it in quotes.")
        }
        return text
    }

    private static func unknown(_ name: String, _ path: String, known: String) -> SettingsError {
        SettingsError("The settings file '\(path)' has '\(name)', which is no setting; there are \(known).")
    }
}
