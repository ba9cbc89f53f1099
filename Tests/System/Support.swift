import StrataSystem

/// Runs `body` while files are created with exactly the permissions that are asked for.
///
/// Suites that use it are serialised: the umask is one for the process.
func withUmask<Result>(_ mask: mode_t, _ body: () throws -> Result) rethrows -> Result {
    let old = umask(mask)
    defer { umask(old) }
    return try body()
}
