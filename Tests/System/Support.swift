import StrataSystem

/// Runs `body` with the umask `mask`.
///
/// Suites that use it are serialised, because the umask belongs to the process.
func withUmask<Result>(_ mask: mode_t, _ body: () throws -> Result) rethrows -> Result {
    let old = umask(mask)
    defer { umask(old) }
    return try body()
}
