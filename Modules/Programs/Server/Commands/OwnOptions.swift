import ArgumentParser

/// An option of `serve` for each of the program's own settings that has a flag.
///
/// The parser finds the options by a mirror of the value, so they can follow from the list of `ServerProgram`.
struct OwnOptions: ParsableArguments, CustomReflectable, Sendable {
    /// What was given.
    private(set) var values: [Setting: String] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: SettingKey.self)
        for (setting, _) in Self.flags {
            values[setting] = try container.decode(Option<String?>.self, forKey: SettingKey(setting.name)).wrappedValue
        }
    }

    var customMirror: Mirror {
        Mirror(
            self,
            children: Self.flags.map { setting, flag in
                let help = ArgumentHelp("\(setting.summary).", valueName: "value")
                return (setting.name, Option<String?>(name: .customLong(flag), help: help) as Any)
            })
    }

    private static var flags: [(Setting, String)] {
        ServerProgram.current.settings.compactMap { setting in setting.flag.map { (setting, $0) } }
    }
}

private struct SettingKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
