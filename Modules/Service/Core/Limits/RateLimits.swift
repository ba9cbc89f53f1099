/// How many requests each caller may send, on all routes together. Health and metrics are not counted.
///
/// The defaults stop a runaway program and not a user at work: one synchronisation of 10,000 entries takes a hundred
/// requests. A request with valid credentials counts for its user or host token only, so that other clients at the same
/// address cannot use up its rate. Any other request counts for its address. Reads (GET and HEAD) of an authenticated caller
/// have a rate of their own.
public struct RateLimits: Sendable, Hashable {
    /// Writes of a user. Default: 3000 at once, 300 a second.
    public var person = RateLimit(burst: 3000, perSecond: 300)
    /// Writes of a host token. Default: 1000 at once, 100 a second.
    public var host = RateLimit(burst: 1000, perSecond: 100)
    /// Requests without valid credentials of an address, or of an IPv6 network of 64 bits. Default: 2000 at once, 200 a second.
    public var address = RateLimit(burst: 2000, perSecond: 200)

    /// Reads of a user or a host token. Default: 60,000 at once, 20,000 a second, about what one core serves: a benchmark with
    /// more needs several users.
    public var reads = RateLimit(burst: 60_000, perSecond: 20_000)

    /// New idempotency keys of a user or a host token; each is stored for 24 hours, at most 532,000 then. Default: 100,000 at
    /// once, 5 a second.
    public var keys = RateLimit(burst: 100_000, perSecond: 5)

    /// The standard limits.
    public init() {}
}
