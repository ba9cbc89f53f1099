import StrataSystem

/// The version of the program, which `--version` prints and `User-Agent` names.
enum Version {
    static let current = StrataVersion.current
}
