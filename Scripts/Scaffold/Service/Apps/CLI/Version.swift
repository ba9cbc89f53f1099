/// The version of the program, which `--version` prints and `User-Agent` names.
enum Version {
    static let current = "0.1.0"
}
