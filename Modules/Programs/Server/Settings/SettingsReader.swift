import Configuration
import StrataDomain
import StrataService

/// Reads typed values from the layers; every layer contains text.
struct SettingsReader {
    private let layers: ConfigReader
    init(_ layers: ConfigReader) { self.layers = layers }

    /// The values of one layer, as its provider expects them.
    static func values(_ texts: [Setting: String]) -> [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (setting, text) in texts {
            values[AbsoluteConfigKey(ConfigKey(setting.name))] =
                ConfigValue(.string(text), isSecret: setting.isSecret)
        }
        return values
    }

    func text(_ setting: Setting) -> String? {
        layers.string(forKey: ConfigKey(setting.name), isSecret: setting.isSecret)
    }

    /// Secrets with commas between them. An error does not repeat them.
    func secrets(_ setting: Setting) throws(SettingsError) -> [Secret] {
        var secrets: [Secret] = []
        for var part in text(setting)?.split(separator: ",") ?? [] {
            while part.first == " " { part.removeFirst() }
            while part.last == " " { part.removeLast() }
            let secret = Secret(String(part))
            do { try SigningSecret.check(secret) } catch {
                throw SettingsError(
                    "\(setting.title): secret \(secrets.count + 1) \(error); write those that signed before, with commas between them."
                )
            }
            secrets.append(secret)
        }
        return secrets
    }

    func host() throws(SettingsError) -> String {
        guard let host = text(.host) else { return "127.0.0.1" }
        guard !host.isEmpty, host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !host.contains("/") else {
            throw refusal(.host, host, "an address or a name of this machine, like 127.0.0.1 or ::1")
        }
        return host
    }

    func integer(_ setting: Setting, in range: ClosedRange<Int>) throws(SettingsError) -> Int? {
        guard let text = text(setting) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw refusal(setting, text, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func choice<Value: RawRepresentable<String> & CaseIterable>(_ setting: Setting) throws(SettingsError) -> Value? {
        try word(setting, of: Value.allCases.map(\.rawValue)).flatMap(Value.init(rawValue:))
    }

    private func word(_ setting: Setting, of words: [String]) throws(SettingsError) -> String? {
        guard let text = text(setting) else { return nil }
        let word = text.lowercased()
        guard words.contains(word) else { throw refusal(setting, text, "one of \(words.joined(separator: ", "))") }
        return word
    }

    /// The checked values of the program's own settings, by name.
    func own() throws(SettingsError) -> [String: Secret] {
        var values: [String: Secret] = [:]
        for setting in ServerProgram.current.settings {
            let text: String? =
                switch setting.form {
                case .text: self.text(setting)
                case .number(let range): try integer(setting, in: range).map { String($0) }
                case .word(let words): try word(setting, of: words)
                }
            values[setting.name] = text.map { Secret($0) }
        }
        return values
    }

    func publicURL() throws(SettingsError) -> PublicURL? {
        guard let text = text(.publicURL) else { return nil }
        guard let url = PublicURL(text) else {
            // It must not contain a user name or a password; do not repeat them in the message.
            let shown = text.contains("@") ? "…" : text
            throw refusal(
                .publicURL, shown,
                "http or https with host and port alone, like https://\(ServerProgram.current.client).example.org")
        }
        return url
    }

    /// The value that `read` makes of a text; `nil` when the setting has none.
    func parsed<Value, Failure: Error & CustomStringConvertible>(
        _ setting: Setting, _ read: (String) throws(Failure) -> Value
    ) throws(SettingsError) -> Value? {
        guard let text = text(setting) else { return nil }
        do { return try read(text) } catch { throw SettingsError("\(setting.title): \(error.description).") }
    }

    func pages() throws(SettingsError) -> PageStyle {
        let colors = text(.pageColors)?.split(separator: ",", omittingEmptySubsequences: false).map {
            PageColor(String($0))
        }
        if let colors, colors.count != 2 || colors.contains(nil) {
            throw refusal(.pageColors, text(.pageColors) ?? "", "two colours like #0b57d0,#8ab4f8")
        }
        let name = text(.pageName)
        do { return try PageStyle(name: name, light: colors?[0], dark: colors?[1]) } catch {
            let setting = name.map { (try? PageStyle(name: $0)) == nil } == true ? Setting.pageName : .pageColors
            throw SettingsError("\(setting.title): \(error.description)")
        }
    }

    func mailFrom() throws(SettingsError) -> MailAddress? {
        guard let text = text(.mailFrom) else { return nil }
        do { return try MailAddress(text) } catch {
            throw refusal(.mailFrom, text, "the address of a mailbox, like \(ServerProgram.current.client)@example.org")
        }
    }

    func refusal(_ setting: Setting, _ text: String, _ expected: String) -> SettingsError {
        SettingsError("\(setting.title) is '\(text.prefix(100))'; write \(expected).")
    }
}
