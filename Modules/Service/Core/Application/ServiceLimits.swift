/// How much of what a caller may use. Every value has a default that suits a small service.
public struct ServiceLimits: Sendable {
    /// Largest request body in bytes, where an endpoint does not say otherwise. Default 1 MiB.
    public var maxBody = 1024 * 1024
    /// Longest path with query, in bytes. Default 8 KiB.
    public var maxTarget = 8 * 1024
    /// Largest sum of all header fields, in bytes. Default 32 KiB.
    public var maxHeaders = 32 * 1024
    /// Most header fields. Default 100.
    public var maxHeaderCount = 100
    /// Longest a call may take, from its header to its answer; more than the 30 s of a long poll. An upload has no such
    /// limit. Default 60 s.
    public var requestTime: Duration = .seconds(60)
    /// How long a body may take before its rate counts. Default 10 s.
    public var bodyGrace: Duration = .seconds(10)
    /// Bytes per second a body must come with after the grace, on average, an upload in each such time; at least 1.
    /// Default 512.
    public var minimumBodyRate = 512
    /// Longest a whole request may take to arrive, also one whose answer was already sent, unless its body keeps
    /// coming at
    /// `minimumBodyRate`. Default 2 min.
    public var requestReadTime: Duration = .seconds(120)
    /// How long a connection may be idle, or take for a header. Default 30 s.
    public var idleTime: Duration = .seconds(30)
    /// How long a reader may let an answer wait in our buffers. Default 30 s.
    public var writeTime: Duration = .seconds(30)
    /// How long requests in flight may still take when the service stops. Default 10 s.
    public var drainTime: Duration = .seconds(10)
    /// Most connections at a time; more wait in the kernel's queue. Default 4096. Fewer where the limit of open files,
    /// which
    /// is raised as far as it goes, would be used up by them.
    public var maxConnections = 4096
    /// How many calls each person, host token and address may make.
    public var rates = RateLimits()

    public init() {}
}
