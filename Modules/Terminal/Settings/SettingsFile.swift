import FoundationEssentials
import StrataDomain
import StrataSystem

/// `config.json`: a JSON object with settings, and comments as `CommentedJSON` reads them; its member `profiles` has an object for
/// each profile.
///
/// An unknown name or a value that is no string is a usage error: a misspelt setting would otherwise have no effect.
public struct SettingsFile: Sendable {
    private var values: [String: String] = [:]
    private var profiles: [String: [String: String]] = [:]
    let path: String
    /// The names that there are, and those in the object of a profile.
    let names: [String]
    let perProfile: [String]
    /// The file as it is; `nil` without one.
    private let content: CommentedJSON?

    /// What the file has, by the names that `config` uses: `server`, `profiles.ops.server`.
    var all: [String: String] {
        profiles.reduce(into: values) { all, profile in
            for (name, value) in profile.value { all["\(Self.profiles).\(profile.key).\(name)"] = value }
        }
    }

    /// The names in `profiles` that `--profile` accepts, in alphabetical order. A shell expands what it is offered.
    var profileNames: [String] { profiles.keys.filter { (try? ProfileName.checked($0)) != nil }.sorted() }

    /// The setting of all profiles; `nil` when the file has none.
    public subscript(name: String) -> String? { values[name] }
    /// The setting of one profile; `nil` when the file has none.
    public subscript(name: String, profile profile: String) -> String? { profiles[profile]?[name] }

    /// Reads the file; without a file there are no settings.
    ///
    /// - Parameters:
    ///   - names: The names of the settings.
    ///   - perProfile: The names in the object of a profile.
    /// - Throws: `.usage` with the path, the value and the next step; `.cannotWrite` where rights forbid to read the file.
    public init(in paths: ProgramPaths, names: [String], perProfile: [String]) throws(CommandFailure) {
        path = "\(paths.config)/config.json"
        (self.names, self.perProfile) = (names, perProfile)
        let bytes: Data?
        do { bytes = try SmallFile(path).read() } catch {
            if let fault = paths.homeFault { throw CommandFailure(.cannotWrite, fault) }
            throw CommandFailure(
                error.isForbidden ? .cannotWrite : .usage,
                "The settings file '\(path)' cannot be read: \(error). Correct its path and mode, or move it away.")
        }
        content = bytes.map { CommentedJSON($0) }
        guard let content else { return }
        guard let object = try? WireJSON.decode(JSONValue.self, from: Data(content.withoutComments)).object else {
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
                    "has '\(parent)\(name)', which is no setting.\(EditDistance.question(name, among: known + others)) There are "
                        + "\((known + others).joined(separator: ", ")).")
            }
            guard let text = value.string else {
                throw fault("has no text for '\(parent)\(name)'; write it in quotes.")
            }
            texts[name] = text
        }
        return texts
    }

    /// The parts of a name that `config` uses.
    ///
    /// - Throws: A usage error with the nearest name for one that is no setting.
    func parts(of name: String) throws(CommandFailure) -> [String] {
        if names.contains(name) { return [name] }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        // The name of a profile may have dots.
        if parts.count >= 3, parts[0] == Self.profiles, let last = parts.last, perProfile.contains(last) {
            return [Self.profiles, try ProfileName.checked(parts[1..<parts.count - 1].joined(separator: ".")), last]
        }
        let known = names + perProfile.map { "\(Self.profiles).NAME.\($0)" }
        throw CommandFailure(
            .usage,
            "'\(name)' is no setting.\(EditDistance.question(name, among: known)) "
                + "There are \(known.joined(separator: ", ")).")
    }

    /// Writes one setting into the file, which is made if there is none. All else in it stays, comments included.
    ///
    /// - Throws: A usage error for a name that is no setting; `.cannotWrite` with the reason.
    func set(_ name: String, to value: String) throws(CommandFailure) {
        let parts = try parts(of: name)
        var text = content ?? CommentedJSON("{\n}\n".utf8)
        do { try text.set(value, at: parts) } catch { throw fault("cannot be changed: \(error). Edit it by hand.") }
        do throws(Errno) { try PrivateDirectory(String(path.dropLast("/config.json".count))).create() } catch {
            throw CommandFailure(.cannotWrite, "The directory of '\(path)' cannot be made: \(error).")
        }
        do throws(NetworkError) {
            let file = try OutputFile(path)
            try file.write(Data(text.bytes))
            try file.commit()
        } catch { throw CommandFailure(.cannotWrite, error.description) }
    }

    private func fault(_ reason: String) -> CommandFailure {
        CommandFailure(.usage, "The settings file '\(path)' \(reason)")
    }
}
