import FoundationEssentials

/// Where files live: `SHIFTLOG_HOME/{config,state,cache}` when that is set, else the XDG base directories.
struct Paths: Sendable {
    let config: String
    let state: String
    let cache: String

    init(environment: [String: String]) throws(SettingsError) {
        if let home = environment["SHIFTLOG_HOME"], !home.isEmpty {
            let root = home.hasPrefix("/") ? home : FileManager.default.currentDirectoryPath + "/" + home
            (config, state, cache) = (root + "/config", root + "/state", root + "/cache")
            return
        }
        func directory(_ variable: String, _ fallback: String) throws(SettingsError) -> String {
            // The XDG specification has relative values ignored.
            if let path = environment[variable], path.hasPrefix("/") { return path + "/shiftlog" }
            guard let home = environment["HOME"], home.hasPrefix("/") else {
                throw SettingsError("There is no home directory: set HOME or SHIFTLOG_HOME to an absolute path.")
            }
            return "\(home)/\(fallback)/shiftlog"
        }
        config = try directory("XDG_CONFIG_HOME", ".config")
        state = try directory("XDG_STATE_HOME", ".local/state")
        cache = try directory("XDG_CACHE_HOME", ".cache")
    }
}
