/// How many files and connections this process may have open at once.
public enum OpenFileLimit {
    /// The soft limit; `nil` where the system does not tell.
    public static var current: Int? { limits.map { Int(clamping: $0.rlim_cur) } }

    /// Raises the soft limit towards the hard one, to `most` at the most. A higher one stays.
    ///
    /// - Returns: The soft limit after it; `nil` where the system does not tell.
    @discardableResult
    public static func raise(to most: Int) -> Int? {
        guard var limits else { return nil }
        let wanted = min(limits.rlim_max, rlim_t(most))
        if limits.rlim_cur < wanted {
            limits.rlim_cur = wanted
            setrlimit(resource, &limits)
        }
        return current
    }

    private static var limits: rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
