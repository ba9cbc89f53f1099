/// How many calls each caller may make, on all routes together. Health and metrics are not counted.
///
/// The numbers stop a program that runs wild, not a person at work: one synchronisation of 10,000 entries takes a hundred
/// calls. A call with valid credentials counts for its person or host only, so that strangers at the same address cannot
/// use up what they have; any other call counts for its address. Reads (GET and HEAD) of a known caller cost little and have a
/// rate of their own.
public struct RateLimits: Sendable, Hashable {
    /// Writes of a person. Default: 3000 at once, 300 a second.
    public var person = RateLimit(burst: 3000, perSecond: 300)
    /// Writes of a host token. Default: 1000 at once, 100 a second.
    public var host = RateLimit(burst: 1000, perSecond: 100)
    /// For an address without valid credentials, of IPv6 for its network. Default: 2000 at once, 200 a second.
    public var address = RateLimit(burst: 2000, perSecond: 200)

    /// Reads of a person or a host token. Default: 60,000 at once, 20,000 a second.
    public var reads = RateLimit(burst: 60_000, perSecond: 20_000)

    public init() {}
}
