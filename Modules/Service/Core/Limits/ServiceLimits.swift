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
    /// Longest a call may take, from its header to its answer; more than the 30 s of a long poll. For an upload
    /// `transferTime` holds instead, once its caller is known. Default 60 s.
    public var requestTime: Duration = .seconds(60)
    /// Longest an upload may take, or an answer until it is read, whatever its rate. Default 24 h.
    public var transferTime: Duration = .seconds(86_400)
    /// Files and long answers that one caller may send or fetch at a time; one more is 429. Default 32.
    public var transfersPerCaller = 32
    /// How long a body may take before its rate counts. Default 10 s.
    public var bodyGrace: Duration = .seconds(10)
    /// Bytes per second a body must come with after the grace, on average, an upload in each such time, and an answer must
    /// be read with; at least 1. Default 512.
    public var minimumBodyRate = 512
    /// Longest a whole request may take to arrive, also one whose answer was already sent, unless its body keeps
    /// coming at `minimumBodyRate`. Default 2 min.
    public var requestReadTime: Duration = .seconds(120)
    /// How long a connection may be idle, or take for a header. Default 30 s.
    public var idleTime: Duration = .seconds(30)
    /// How long a reader may take nothing of an answer that waits. The kernel of a reader takes up to 128 KiB at a time, so
    /// that a steady one of 1 KiB/s pauses for 2 min. Default 3 min.
    public var writeTime: Duration = .seconds(180)
    /// Bytes of answers that may wait for readers, over all connections; above it the slowest readers are cut. On one
    /// connection no more than some 128 KiB of a file wait. Default 32 MiB.
    public var maxWaitingBytes = 32 * 1024 * 1024
    /// How long requests in flight may still take when the service stops. Default 10 s.
    public var drainTime: Duration = .seconds(10)
    /// Most connections at a time; one more closes the one that has been idle longest. Default 4096. Fewer where the limit
    /// of open files, which is raised as far as it goes, would be used up by them.
    public var maxConnections = 4096
    /// Most connections at a time from one address, or one IPv6 network of 64 bits; one more is closed at once. At most half
    /// of all. A trusted proxy and a socket with a path have no such bound. Default 256.
    public var maxConnectionsPerAddress = 256
    /// How many calls each person, host token and address may make.
    public var rates = RateLimits()

    public init() {}
}
