import StrataSystem

/// The number of concurrent calls that the limit of open files allows; connections count as open files.
///
/// Without a free descriptor no connection is possible, which looks like a dead origin, and the runtime ends the
/// process.
public enum OpenFiles {
    /// Two connections per call: for connection attempts to two addresses, or while one closes and the next opens.
    private static let each = 2
    private static let others = 64
    private static let most = 65_536

    /// Raises the soft limit for `calls` concurrent calls.
    ///
    /// - Throws: `CommandFailure` with `.usage` if the hard limit is too low.
    public static func allow(calls: Int) throws {
        guard let files = OpenFileLimit.raise(to: most) else { return }
        try check(calls: calls, files: files)
    }

    /// - Parameter files: The limit of open files.
    static func check(calls: Int, files: Int) throws {
        let possible = max(1, (files - others) / each)
        guard calls > possible else { return }
        throw CommandFailure(
            .usage,
            "\(calls) calls at once may need \(others + each * calls) open files, and this process may have \(files). Use "
                + "--concurrency \(possible), or raise the limit with 'ulimit -n'.")
    }
}
