import FoundationEssentials
import StrataSystem

/// Where files live: `SHIFTLOG_HOME/{config,state,cache}` when that is set, else the XDG base directories.
struct Paths: Sendable {
    let config: String
    let state: String
    let cache: String
    /// `SHIFTLOG_HOME`, where that is set.
    private let home: String?

    init(environment: [String: String]) throws(SettingsError) {
        if let home = environment["SHIFTLOG_HOME"], !home.isEmpty {
            let root = home.hasPrefix("/") ? home : FileManager.default.currentDirectoryPath + "/" + home
            (config, state, cache) = (root + "/config", root + "/state", root + "/cache")
            self.home = root
            return
        }
        home = nil
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

    /// Why nothing can be kept under `SHIFTLOG_HOME`, with the next step; `nil` where it can, or where it is yet to be made.
    var homeFault: String? {
        guard let home else { return nil }
        let reason: String
        do throws(Errno) {
            if try Stat(path: home, following: true).isDirectory {
                try systemCall { access(home, R_OK | X_OK) }
                return nil
            }
            reason = "it is no directory"
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            reason = "\(error)"
        }
        return
            "The home '\(home)' cannot be used: \(reason). Set SHIFTLOG_HOME to a directory of yours, or leave it out."
    }
}
