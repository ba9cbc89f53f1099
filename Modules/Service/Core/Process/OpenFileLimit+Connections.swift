import StrataSystem

/// Without a free descriptor the database and files cannot be opened, and the runtime ends the process. Connections, which
/// any client can open, must therefore never take the last.
extension OpenFileLimit {
    private static let maximum = 65_536

    /// Raises the soft limit towards the hard limit, to 65,536 at most, and returns it.
    static func raised() -> Int {
        min(raise(to: maximum) ?? 1024, maximum)
    }

    /// The connections to allow: `wanted`, or fewer if they do not leave a quarter of the limit, at most 1024 files, free.
    ///
    /// - Returns: At least 1.
    static func connections(_ wanted: Int, within limit: Int) -> Int {
        max(1, min(wanted, limit - min(limit / 4, 1024)))
    }
}
