import StrataSystem

/// How many files and connections the process may have open at once.
///
/// Without a free one the database cannot be opened and no file read, and the runtime's watch over its threads ends the
/// process: connections, which anyone can open, must not take the last.
enum OpenFiles {
    private static let most = 65_536

    /// The limit, after the soft one was raised towards the hard one, up to 65,536.
    static func raised() -> Int {
        min(OpenFileLimit.raise(to: most) ?? 1024, most)
    }

    /// As many connections as are `wanted`, or as leave a quarter of the limit, at most 1024 files, to everything else.
    ///
    /// - Returns: At least 1.
    static func connections(_ wanted: Int, within limit: Int) -> Int {
        max(1, min(wanted, limit - min(limit / 4, 1024)))
    }
}
