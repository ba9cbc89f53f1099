#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How many files and connections the process may have open at once.
///
/// Without a free one the database cannot be opened and no file read, and the runtime's watch over its threads ends the
/// process: connections, which anyone can open, must not take the last.
enum OpenFiles {
    private static let most = 65_536

    /// The limit, after the soft one was raised towards the hard one, up to 65,536.
    static func raised() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        let wanted = min(limit.rlim_max, rlim_t(most))
        if limit.rlim_cur < wanted {
            var higher = limit
            higher.rlim_cur = wanted
            if setrlimit(resource, &higher) == 0 { limit = higher }
        }
        return Int(clamping: min(limit.rlim_cur, rlim_t(most)))
    }

    /// The soft limit as it is.
    static var limit: Int? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : nil
    }

    /// As many connections as are `wanted`, or as leave a quarter of the limit, at most 1024 files, to everything else.
    ///
    /// - Returns: At least 1.
    static func connections(_ wanted: Int, within limit: Int) -> Int {
        max(1, min(wanted, limit - min(limit / 4, 1024)))
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
