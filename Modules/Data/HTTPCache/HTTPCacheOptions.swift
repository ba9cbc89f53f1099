/// How an `HTTPCacheInterceptor` works.
public struct HTTPCacheOptions: Sendable {
    /// The settings of its decisions: private or shared, and what may be served stale.
    public var rules: CacheRules
    /// For calls that set none of their own with `HTTPCachePolicy.current`.
    public var policy: HTTPCachePolicy
    /// Names the cache in `Cache-Status`. Characters that are not letters, digits, `-`, `.` or `_` are left out. Default
    /// `Strata`, also in place of a name that then begins with no letter.
    public var name: String
    /// Bytes of the largest body that is stored. Default 4 MiB, at least 0; the store may allow less.
    public var entryLimit: Int
    /// Responses of one URL that are stored beside each other because of `Vary` or ranges. Default 16, at least 1.
    public var variantLimit: Int
    /// How long a revalidation in the background may take. Default 30 s.
    public var backgroundTimeout: Duration
    /// Revalidations in the background at one time; more are left to the next reader. Default 32, at least 0.
    public var backgroundLimit: Int
    /// How long a call waits for another process that asks for the same response, before it asks for itself; at most a third of
    /// its remaining time. Default 5 s.
    public var leaseWait: Duration
    /// How long a slow reader of a response may keep other calls waiting for it; then one of those asks. Default 1 s, at
    /// least 1 ms.
    public var readerPatience: Duration
    /// Whether a private cache partitions by the `Cookie` field. Default `true`; a cache for one user, such as that user's
    /// own proxy, need not.
    public var tellsCookiesApart = true

    /// The standard options, but for those that are given. A value below its least is raised to it.
    public init(
        rules: CacheRules = CacheRules(), policy: HTTPCachePolicy = .standard, name: String = "Strata",
        entryLimit: Int = 4 << 20, variantLimit: Int = 16, backgroundTimeout: Duration = .seconds(30),
        backgroundLimit: Int = 32, leaseWait: Duration = .seconds(5), readerPatience: Duration = .seconds(1)
    ) {
        self.rules = rules
        self.policy = policy
        let token = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }
        self.name = token.first?.isLetter == true ? token : "Strata"
        self.entryLimit = max(0, entryLimit)
        self.variantLimit = max(1, variantLimit)
        self.backgroundTimeout = backgroundTimeout
        self.backgroundLimit = max(0, backgroundLimit)
        self.leaseWait = leaseWait
        self.readerPatience = max(.milliseconds(1), readerPatience)
    }
}
