import FoundationEssentials
import StrataDomain
import StrataSystem

/// `config.json`: a JSON object with settings; its member `profiles` has an object for each profile.
///
/// An unknown name or a value that is no string is a usage error: a misspelt setting would otherwise have no effect.
public struct SettingsFile: Sendable {
    private var values: [String: String] = [:]
    private var profiles: [String: [String: String]] = [:]
    private let path: String

    public subscript(name: String) -> String? { values[name] }
    public subscript(name: String, profile profile: String) -> String? { profiles[profile]?[name] }

    /// Reads the file; without a file there are no settings.
    ///
    /// - Parameters:
    ///   - names: The names of the settings.
    ///   - perProfile: The names in the object of a profile.
    /// - Throws: `.usage` with the path, the value and the next step; `.cannotWrite` where rights forbid to read the file.
    public init(in paths: ProgramPaths, names: [String], perProfile: [String]) throws(CommandFailure) {
        path = "\(paths.config)/config.json"
        let bytes: Data?
        do { bytes = try SmallFile(path).read() } catch {
            if let fault = paths.homeFault { throw CommandFailure(.cannotWrite, fault) }
            throw CommandFailure(
                error.isForbidden ? .cannotWrite : .usage,
                "The settings file '\(path)' cannot be read: \(error). Correct its path and mode, or move it away.")
        }
        guard let bytes else { return }
        guard let object = try? WireJSON.decode(JSONValue.self, from: bytes).object else {
            throw fault("is no JSON object; correct it, or move it away.")
        }
        values = try texts(in: object.filter { $0.key != Self.profiles }, known: names, others: [Self.profiles])
        guard let member = object[Self.profiles] else { return }
        guard let objects = member.object else {
            throw fault("has no object for 'profiles'; write {\"NAME\": {\"server\": \"URL\"}}.")
        }
        for (profile, value) in objects.sorted(by: { $0.key < $1.key }) {
            let name = "\(Self.profiles).\(profile)"
            guard let members = value.object else {
                throw fault("has no object for '\(name)'; write {\"server\": \"URL\"}.")
            }
            profiles[profile] = try texts(in: members, known: perProfile, below: "\(name).")
        }
    }

    private static let profiles = "profiles"

    private func texts(
        in object: [String: JSONValue], known: [String], others: [String] = [], below parent: String = ""
    ) throws(CommandFailure) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, value) in object.sorted(by: { $0.key < $1.key }) {
            guard known.contains(name) else {
                throw fault(
                    "has '\(parent)\(name)', which is no setting; there are "
                        + "\((known + others).joined(separator: ", ")).")
            }
            guard let text = value.string else {
                throw fault("has no text for '\(parent)\(name)'; write it in quotes.")
            }
            texts[name] = text
        }
        return texts
    }

    private func fault(_ reason: String) -> CommandFailure {
        CommandFailure(.usage, "The settings file '\(path)' \(reason)")
    }
}
