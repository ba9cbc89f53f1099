public import ArgumentParser

/// When output carries colour.
public enum ColorMode: String, Sendable, Hashable, CaseIterable, ExpressibleByArgument {
    /// On a terminal, unless `NO_COLOR` is set to something (no-color.org) or `TERM` is `dumb`.
    case auto
    /// Colours wherever the output goes, or nowhere.
    case always, never

    /// Whether colour goes to a sink that is or is not a terminal.
    func isOn(terminal: Bool, environment: [String: String]) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto: terminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        }
    }
}
