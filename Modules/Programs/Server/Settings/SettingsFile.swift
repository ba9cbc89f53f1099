import FoundationEssentials
import StrataDomain
import StrataSystem

/// The settings file: a JSON object with the names of the settings; `http.port` may be `port` of the object `http`.
enum SettingsFile {
    /// - Throws: `SettingsError` for a file that cannot be read, has more than 64 KiB, is not such an object, or has an
    ///   unknown name: a misspelt setting would otherwise have no effect.
    static func values(path: String) throws(SettingsError) -> [Setting: String] {
        let object = try object(path: path)
        var values: [Setting: String] = [:]
        for (name, value) in flattened(object) {
            guard let setting = Setting.all.first(where: { $0.name == name }) else {
                let known = Setting.all.map(\.name)
                throw SettingsError(
                    "The settings file '\(path)' has '\(name)', which is no setting."
                        + "\(EditDistance.question(name, among: known)) There are \(known.joined(separator: ", ")).")
            }
            guard let text = text(value) else {
                throw SettingsError("The settings file '\(path)' has no text or number for '\(name)'.")
            }
            values[setting] = text
        }
        return values
    }

    private static func object(path: String) throws(SettingsError) -> [String: JSONValue] {
        let bytes: Data?
        do { bytes = try SmallFile(path).read() } catch { throw unreadable(path, error.description) }
        guard let bytes else { throw unreadable(path, "No such file") }
        guard let object = try? WireJSON.decode(JSONValue.self, from: bytes).object else {
            throw SettingsError(
                "The settings file '\(path)' is no JSON object; write {\"http\": {\"port\": \(ServerProgram.current.port)}}."
            )
        }
        return object
    }

    private static func unreadable(_ path: String, _ reason: String) -> SettingsError {
        SettingsError(
            "The settings file '\(path)' cannot be read: \(reason). Correct it, --config or "
                + "\(ServerProgram.current.variable("CONFIG_FILE")).")
    }

    private static func flattened(_ object: [String: JSONValue]) -> [(String, JSONValue)] {
        object.sorted { $0.key < $1.key }.flatMap { name, value in
            value.object.map { members in members.map { ("\(name).\($0)", $1) } } ?? [(name, value)]
        }
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        default: nil
        }
    }
}
