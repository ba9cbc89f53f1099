import FoundationEssentials
import StrataSystem

/// Where the files of a program are: `TIDES_HOME/{config,state,cache}` when that is set, otherwise the XDG base directories.
public struct ProgramPaths: Sendable {
    /// The folder of the settings.
    public let config: String
    /// The folder of what must not be lost: tokens and stores.
    public let state: String
    /// The folder of what can be fetched again.
    public let cache: String
    /// The variable that sets the home, and its value.
    private let home: (variable: String, path: String)?

    /// - Parameter program: The name of the directories, and in upper case of the variable: `tides`.
    /// - Throws: A usage error without a home directory.
    public init(program: String, environment: [String: String]) throws(CommandFailure) {
        let variable = ProgramName.variable("HOME", of: program)
        if let home = environment[variable], !home.isEmpty {
            let root = home.hasPrefix("/") ? home : FileManager.default.currentDirectoryPath + "/" + home
            (config, state, cache) = (root + "/config", root + "/state", root + "/cache")
            self.home = (variable, root)
            return
        }
        home = nil
        func directory(_ base: String, _ fallback: String) throws(CommandFailure) -> String {
            // The XDG specification has relative values ignored.
            if let path = environment[base], path.hasPrefix("/") { return "\(path)/\(program)" }
            guard let home = environment["HOME"], home.hasPrefix("/") else {
                throw CommandFailure(
                    .usage, "There is no home directory: set HOME or \(variable) to an absolute path.")
            }
            return "\(home)/\(fallback)/\(program)"
        }
        config = try directory("XDG_CONFIG_HOME", ".config")
        state = try directory("XDG_STATE_HOME", ".local/state")
        cache = try directory("XDG_CACHE_HOME", ".cache")
    }

    /// Why the directory that the variable names cannot be used, with the next step; `nil` if it can, or does not exist yet.
    var homeFault: String? {
        guard let home else { return nil }
        let reason: String
        do throws(Errno) {
            if try Stat(path: home.path, following: true).isDirectory {
                try systemCall { access(home.path, R_OK | X_OK) }
                return nil
            }
            reason = "it is no directory"
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            reason = "\(error)"
        }
        return
            "The home '\(home.path)' cannot be used: \(reason). Set \(home.variable) to a directory of yours, or leave "
            + "it out."
    }
}
